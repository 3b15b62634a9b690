"""Checks of generated instances: every claim, over many seeds at every level, in one pass."""

import json
import os
import subprocess
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from hashlib import blake2b
from typing import Final

from companyos.sdk import stackpath
from companyos.sdk.chaos import parse_chaos
from companyos.sdk.scenario import Instance, Scenario, folder_of
from companyos.sdk.scenario_sources import SETTING

from . import approval, description, instances, offered, pairs, readable, rows
from .claims import OfInstance, OfPair, OfScenario, Tally, Verdict

LEVELS: Final = (0, 1, 2, 3, 4, 5)
SALT: Final = "companyos-public"
#: The share of pairs that must differ in what they ask.
_DISTINCT: Final = 0.9
_DIGESTS: Final = ((0, 0), (1, 1), (12345, 3))
#: The claims about every scenario, in the order of their verdicts.
_CLAIMS: Final = (
    *description.CLAIMS,
    *offered.CLAIMS,
    *instances.CLAIMS,
    *pairs.CLAIMS,
    *readable.CLAIMS,
    *rows.CLAIMS,
)

Tell = Callable[[int, int], None]


@dataclass(frozen=True)
class Sample:
    """The instances to check.

    Attributes:
        seeds: Number of seeds generated at each level, starting with seed 0.
        closely: Number of those that also take part in costly checks, at each level.
        levels: The chaos levels.
        elsewhere: Whether other processes also generate some instances, for comparison.
    """

    seeds: int = 200
    closely: int = 8
    levels: Sequence[int] = LEVELS
    elsewhere: bool = True


def check_instances(
    scenario: Scenario, sample: Sample = Sample(), progress: Tell | None = None
) -> Iterator[Verdict]:
    """Yield the verdict on every claim that needs no running stack.

    Args:
        scenario: The scenario.
        sample: The instances to check.
        progress: Called with the number of finished pairs and the total.
    """
    for claim in (one for one in _CLAIMS if isinstance(one, OfScenario)):
        tally = Tally(claim.claim)
        tally.add(claim.complaints(scenario))
        yield tally.verdict
    checks = _Pass(scenario, sample)
    yield from checks.results(progress)
    if sample.elsewhere:
        yield _same_everywhere(scenario, generates=checks.generated_any)


class _Pass:
    """One pass over the pairs of a sample that checks every claim."""

    def __init__(self, scenario: Scenario, sample: Sample) -> None:
        self._scenario = scenario
        self._sample = sample
        claim = f"Seeds 0 to {sample.seeds - 1} generate at {_named(sample.levels)}, reproducibly"
        self._generated = Tally(claim, about_instances=True)
        self._drawn = Tally("The causes within a pair are drawn, and pairs ask for different things")
        more = approval.CLAIMS if approval.applies(scenario) else ()
        known = (*_CLAIMS, *more)
        self._of_instances = [(one, _tally(one)) for one in known if isinstance(one, OfInstance)]
        self._of_pairs = [(one, _tally(one)) for one in known if isinstance(one, OfPair)]
        self._causes: list[str] = []
        self._asked: set[str] = set()
        self.generated_any = False

    def results(self, progress: Tell | None) -> Iterator[Verdict]:
        """Run the pass and yield the verdict on every claim."""
        work = [(level, pair) for level in self._sample.levels for pair in range(self._sample.seeds // 2)]
        for done, (level, pair) in enumerate(work, start=1):
            self._look_at(level, pair)
            if progress is not None:
                progress(done, len(work))
        self._judge_draws()
        tallies = [tally for _, tally in (*self._of_instances, *self._of_pairs)]
        yield from (tally.verdict for tally in (self._generated, self._drawn, *tallies))

    def _look_at(self, level: int, pair: int) -> None:
        closely = 2 * pair < self._sample.closely
        made = [self._instance(level, seed, again=closely) for seed in (2 * pair, 2 * pair + 1)]
        for seed, instance in enumerate(made, start=2 * pair):
            if instance is not None:
                for claim, tally in self._of_instances:
                    if closely or not claim.costly:
                        tally.add(claim.complaints(instance), where=f"seed {seed}, level {level}")
        first, second = made
        if first is None or second is None:
            return
        for of_pair, tally in self._of_pairs:
            where = f"seeds {2 * pair} and {2 * pair + 1}, level {level}"
            tally.add(of_pair.complaints(self._scenario, first, second), where=where)
        if level == self._sample.levels[0]:
            self._causes.append(first.cause)
            self._asked.add(_task_content(first))

    def _instance(self, level: int, seed: int, *, again: bool) -> Instance | None:
        made: list[Instance] = []

        def complaints() -> Iterator[str]:
            made.append(self._scenario.generate(seed, parse_chaos(level), SALT))
            named = (made[0].scenario, made[0].version, made[0].seed)
            if named != (self._scenario.name, self._scenario.version, seed):
                yield f"the instance says that it is {named}"
            if again and digest(self._scenario, seed, level) != _digest_of(made[0]):
                yield "generating it twice gives two instances"

        self._generated.add(complaints(), where=f"seed {seed}, level {level}")
        self.generated_any = self.generated_any or bool(made)
        return made[0] if made else None

    def _judge_draws(self) -> None:
        if not self._causes:
            return
        self._drawn.add(())
        if len(self._causes) >= 10 and len(set(self._causes[1:])) == 1:
            self._drawn.add([f"every even seed has the cause {self._causes[1]!r}"])
        if len(self._asked) < _DISTINCT * len(self._causes):
            self._drawn.add([f"{len(self._causes)} pairs ask for only {len(self._asked)} different things"])


def _task_content(instance: Instance) -> str:
    """Return what an instance asks for, as far as it is data: claims about values are left out."""
    writes = [[*one.table, one.key, one.columns] for one in instance.allowances]
    return json.dumps([instance.brief, instance.cause, writes], sort_keys=True, default=lambda claim: None)


def digest(scenario: Scenario, seed: int, level: int) -> str:
    """Return a digest of all of an instance's data."""
    return _digest_of(scenario.generate(seed, parse_chaos(level), SALT))


def digests(scenario: Scenario) -> list[str]:
    """Return digests of some instances, for comparison between processes."""
    return [digest(scenario, seed, level) for seed, level in _DIGESTS]


def _digest_of(instance: Instance) -> str:
    content = [
        instance.rows,
        instance.brief,
        asdict(instance.guidance),
        instance.cause,
        instance.refusal and asdict(instance.refusal),
        instance.start,
        instance.max_steps,
    ]
    return blake2b(json.dumps(content, default=str).encode(), digest_size=16).hexdigest()


def _same_everywhere(scenario: Scenario, *, generates: bool) -> Verdict:
    tally = Tally("Other processes, with other hash seeds, generate the same")
    if generates:
        tally.add(_differences(scenario))
    return tally.verdict


def _differences(scenario: Scenario) -> Iterator[str]:
    own = digests(scenario)
    for hash_seed in ("1", "2"):
        program = stackpath.module("companyos.evaluation.conformance.digests", str(folder_of(scenario)))
        env = stackpath.environment(PYTHONHASHSEED=hash_seed)
        env.pop(SETTING, None)
        finished = subprocess.run(program, env=env, capture_output=True, text=True, check=False)
        if finished.returncode:
            yield f"another process could not generate it: {finished.stderr.strip().rpartition(os.linesep)[2]}"
        elif finished.stdout.split() != own:
            yield f"with PYTHONHASHSEED={hash_seed} it is another instance; is an unordered set listed?"


def _tally(claim: OfInstance | OfPair) -> Tally:
    return Tally(claim.claim, about_instances=True)


def _named(levels: Sequence[int]) -> str:
    return f"level {levels[0]}" if len(levels) == 1 else f"levels {levels[0]} to {levels[-1]}"
