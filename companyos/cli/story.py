"""Tells one pair of tasks for a person: the oracle on both, and on the first an agent that believes every claim."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import Any, Final

from companyos.client import CompanyosEnv
from companyos.evaluation.agents import Agent, Omitting, Oracle
from companyos.sdk.chaos import CATALOG, NAMES, FaultId
from companyos.sdk.scenario import Scenario

LEVEL: Final = 1
WIDTH: Final = 78
AGENTS: Final[Mapping[str, Callable[[Scenario], Agent]]] = {
    "believes_claims": lambda scenario: Omitting(scenario, "believes_claims"),
    "oracle": Oracle,
}
#: Most steps that are told of one episode.
MOST_STEPS: Final = 8
#: What follows the task in the first observation: how to end it, and what arguments of tools mean.
_AFTER_THE_TASK: Final = "Once everything asked for is in place"
#: What is told of a fault whose line in the catalog lists several forms.
_TOLD: Final = {FaultId.STALE_METRIC: "The metric has to be refreshed, and that will not go smoothly."}
_OBJECT: Final = re.compile(r"[A-Z]+-\d+")

Record = Mapping[str, Any]


@dataclass(frozen=True)
class StoryEpisode:
    """A finished episode.

    Attributes:
        brief: What its agent was asked.
        card: Its grade card.
        records: Its steps, as in its trace.
    """

    agent: str
    seed: int
    brief: str
    card: Mapping[str, Any]
    records: Sequence[Record]

    @property
    def outcome(self) -> str:
        """How it ended, and in how many steps."""
        return f"{'solved' if self.card['success'] else 'not solved'} in {len(self.records)} steps"


def play_pair(env: CompanyosEnv, scenario: Scenario, seed: int) -> list[StoryEpisode]:
    """Play both tasks of a seed's pair with each agent; the task of the seed comes first."""
    return [_play(env, scenario, name, each) for each in (seed, seed ^ 1) for name in AGENTS]


def landing_text(fault: FaultId, error: Mapping[str, Any] | None) -> str:
    """Return what happens as a fault lands; nothing if the error of the call that it hit tells it."""
    return "" if error else _TOLD.get(fault, CATALOG[fault].does)


def tell(scenario: Scenario, episodes: Sequence[StoryEpisode]) -> Iterator[str]:
    """Yield the story of the episodes that `play_pair` returned, one line at a time."""
    believer, oracle, _, other = episodes
    yield f"{scenario.title}, seed {oracle.seed}, chaos {LEVEL} ({NAMES[LEVEL]}). Some steps are left out."
    yield from _wrapped(oracle.brief, "  > ", "  > ")
    yield from ("", "An agent that believes every claim:")
    yield from _steps(believer, lambda record: _note(record, believer.card))
    yield from ("", "The oracle does the same work with all its skills, and so it also:")
    yield from _steps(oracle, lambda record: _advantage(record, believer.records))
    yield from ("", f"The other task of the pair, seed {other.seed}, reads the same, until:")
    yield from _parting(oracle, other)


def _play(env: CompanyosEnv, scenario: Scenario, name: str, seed: int) -> StoryEpisode:
    agent = AGENTS[name](scenario)
    result = env.reset(scenario=scenario.name, seed=seed, chaos=LEVEL)
    brief, _, _ = result.observation.text.partition(_AFTER_THE_TASK)
    agent.start(result.observation)
    while not result.done:
        try:
            result = env.step(agent.act(result.observation))
        except LookupError:
            result = env.call("finish")
    return StoryEpisode(name, seed, " ".join(brief.split()), env.grade(), env.trace()[1:])


def _steps(episode: StoryEpisode, note_of: Callable[[Record], str]) -> Iterator[str]:
    """Yield the steps of an episode that are worth a note, and how it ended."""
    noted = [(record, note) for record in episode.records if (note := note_of(record))]
    for record, note in noted[:MOST_STEPS]:
        yield from _step(record, note)
    yield from _ending(episode)


def _ending(episode: StoryEpisode) -> Iterator[str]:
    unmet = [must["why"] for must in episode.card["musts"] if not must["holds"]]
    broken = [one["why"] for one in episode.card["forbidden"] if not one["kept"]]
    reasons = " ".join([*(f"Missing: {why}" for why in unmet), *(f"Forbidden: {why}" for why in broken)])
    yield from _wrapped(f"{episode.outcome}. {reasons}".rstrip(), "    = ", "      ")


def _parting(first: StoryEpisode, second: StoryEpisode) -> Iterator[str]:
    """Yield where the second of two episodes of an agent read something else, and what the agent did then."""
    pairs = enumerate(zip(first.records, second.records, strict=False))
    parted = next((n for n, (one, other) in pairs if _result_of(one) != _result_of(other)), 0)
    before, after = _result_of(first.records[parted]), _result_of(second.records[parted])
    changed = [
        f"{name} {after[name]}, not {before.get(name)}" for name in after if after[name] != before.get(name)
    ]
    yield from _step(second.records[parted], f"reads {'; '.join(changed)}")
    acts = [
        f"{record['step']} {record['action']['tool_name']}"
        for record in second.records[parted + 1 :]
        if record["action"]["tool_name"] != "wait"
        and any(change["table"] != "receipts" for change in record["changes"])
    ]
    if acts:
        yield from _wrapped(", ".join(acts), "   ", "      ")
    yield from _ending(second)
    yield from _wrapped(" ".join(_difference(first, second)), "", "")


def _difference(first: StoryEpisode, second: StoryEpisode) -> Iterator[str]:
    """Yield what the policy accepts that an agent read, and what each task asks for that the other does not."""
    for result in map(_result_of, second.records):
        for limit, word in (("minimum", "at least"), ("maximum", "at most")):
            if result.get(limit) is not None:
                yield f"The policy accepts {word} {result[limit]}."
    for own, other in ((first, second), (second, first)):
        shared = {must["why"] for must in other.card["musts"]}
        asked = [must["why"] for must in own.card["musts"] if must["why"] not in shared]
        if asked:
            yield f"Seed {own.seed} ends with: {asked[-1]}"


def _step(record: Record, note: str) -> Iterator[str]:
    action = record["action"]
    values = " ".join(str(value) for value in action.get("arguments", {}).values())
    named = _OBJECT.search(values)
    call = f"{action['tool_name']} {named[0] if named else ''}".rstrip()
    yield from _wrapped(f"{call}: {note}", f"  {record['step']:>3} ", "      ")


def _note(record: Record, card: Mapping[str, Any]) -> str:
    """Return what went wrong at a step, what it repaired, and what it earned."""
    error, call = record["observation"]["error"], str(record["action"])
    sentences, repairs = [error["message"]] if error else [], []
    for fault in card["fault_account"]:
        elsewhere = " ".join(str(part) for part in fault["where"] if part and str(part) not in call)
        if fault["landed_at"] == record["step"]:
            sentences.append(landing_text(FaultId(fault["fault"]), error))
        if fault["overcome_at"] == record["step"]:
            repairs.append(f"repairs that{f' at {elsewhere}' if elsewhere else ''}")
    sentence = " ".join(filter(None, sentences)).rstrip(".")
    return "; ".join([*filter(None, [sentence]), *repairs, *_earned(record)])


def _advantage(record: Record, other: Sequence[Record]) -> str:
    """Return what a step read or earned that no step of the other agent did."""
    document = _result_of(record)
    title = [f"reads “{document['title']}”"] if "body" in document else []
    known = {earned for each in other for earned in _earned(each)}
    return "; ".join([*title, *(earned for earned in _earned(record) if earned not in known)])


def _earned(record: Record) -> list[str]:
    return [
        f"earns {line['name'].removeprefix('milestone:').replace('_', ' ')}"
        for line in record["ledger"]
        if line["name"].startswith("milestone:") and line["amount"] > 0
    ]


def _result_of(record: Record) -> Mapping[str, Any]:
    found = record["observation"]["result"]
    return found if isinstance(found, Mapping) else {"result": found}


def _wrapped(text: str, first: str, later: str) -> list[str]:
    return wrap(
        text,
        WIDTH,
        initial_indent=first,
        subsequent_indent=later,
        break_long_words=False,
        break_on_hyphens=False,
    )
