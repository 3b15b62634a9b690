"""Certification: a run of each baseline agent on every scenario, and a report of the gates that its records pass.

Agents play over HTTP and see only what any agent sees. Many episodes run concurrently. The oracle plays some of them
again, each alone, and the traces must be identical.
"""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from companyos.evaluation.agents import (
    Agent,
    DoNothing,
    Omitting,
    OpenLoopPlan,
    Oracle,
    RandomPool,
    RandomSchema,
    Recorded,
)
from companyos.evaluation.baselines import SEEING, Play, Player, certification_report
from companyos.sdk.scenario import (
    Action,
    Observation,
    Scenario,
    find,
    folder_of,
    load_scenarios,
    source_digest,
)

from .fewest_steps import fewest_steps_of, with_fewer
from .offered import check_offered
from .runs import (
    AgentSpec,
    EpisodeEnding,
    EpisodeRecord,
    EpisodeTask,
    FolderUnusable,
    RunFolder,
    RunRequest,
    read_run,
    refuse_folder,
)
from .runs.connection import TrainerConnection
from .runs.outages import Outages, Say
from .runs.play import playing_here
from .runs.players.scripted import ScriptedPlayer
from .runs.request import Instance
from .runs.runner import RunSession, Watch, play_together, tasks_left

#: How many seeds of each scenario and level are played by agents that use little or no information.
SEEDS_SAMPLED: Final = 200
SEEDS_AGAIN: Final = 2
#: The name of the run in which the oracle plays again.
AGAIN: Final = "oracle_again"
#: The agents that repeat what the oracle does: on the same seed, or on the other of its pair.
_REPEATED: Final = {Player.OPEN_LOOP_OWN: 0, Player.OPEN_LOOP_OTHER: 1}
#: The agents of whose successes each is looked into, because they should have none.
_BLIND: Final = (Player.DO_NOTHING, Player.RANDOM_POOL, Player.RANDOM_SCHEMA, Player.OPEN_LOOP_OTHER)


@dataclass(frozen=True)
class Certification:
    """What a certification plays, and with which agents.

    Attributes:
        seeds: The instances to play; whole counterfactual pairs (0 and 1, 2 and 3 …) prove more than half
            pairs.
        scenarios: Names of scenarios; empty for all of them.
        levels: Chaos levels.
        players: The agents that play; fewer agents prove less.
        landed: How often every fault of the levels has to land, over all plays.
        sample: The most seeds that agents other than the oracle play.
        concurrency: The most episodes in progress at once.
    """

    seeds: Sequence[int]
    scenarios: Sequence[str] = ()
    levels: Sequence[int] = (0, 1)
    players: Sequence[Player] = tuple(Player)
    landed: int = 0
    sample: int | None = None
    concurrency: int = 16

    @cached_property
    def scenarios_by_name(self) -> Mapping[str, Scenario]:
        """The scenarios to certify, by name.

        Raises:
            ScenarioUnknown: A scenario does not exist.
        """
        found = [find(name) for name in self.scenarios] or load_scenarios().values()
        return {scenario.name: scenario for scenario in sorted(found, key=lambda one: one.name)}

    @cached_property
    def requests(self) -> Mapping[str, RunRequest]:
        """The run of each agent, and the oracle's second one, by name."""
        found = {str(player): self.request_of(player) for player in self.players}
        if Player.ORACLE in self.players:
            found[AGAIN] = replace(found["oracle"], seeds=tuple(self.seeds[:SEEDS_AGAIN]), concurrency=1)
        return found

    def report(
        self, records: Mapping[str, Sequence[EpisodeRecord]], kept: Mapping[Instance, int] | None = None
    ) -> dict[str, Any]:
        """Return the report on the records of every run, which `baselines` describes.

        Args:
            records: The records, by run.
            kept: The fewest known steps of the instances, besides those of the agents here that see what they do.
        """
        seen = [record for player in SEEING for record in records.get(player, ())]
        plays = {name: [Play.of(record, _player(name)) for record in records[name]] for name in self.requests}
        again = plays.pop(AGAIN, [])
        return certification_report(
            [play for found in plays.values() for play in found],
            again,
            {name: scenario.version for name, scenario in self.scenarios_by_name.items()},
            fewest=with_fewer(kept or {}, seen),
            landed=self.landed,
            of_all=not self.scenarios,
        )

    def decisive(self) -> dict[str, Any]:
        """Return what determines the episodes of every run."""
        return {name: request.decisive() for name, request in self.requests.items()}

    def agent(self, player: Player, task: EpisodeTask) -> Agent:
        """Return the agent of an episode."""
        scenario = self.scenarios_by_name[task.scenario]
        match player:
            case Player.ORACLE:
                return Oracle(scenario)
            case Player.DO_NOTHING:
                return DoNothing()
            case Player.RANDOM_POOL:
                return RandomPool(task.seed)
            case Player.RANDOM_SCHEMA:
                return RandomSchema(task.seed)
            case Player.OPEN_LOOP_OWN | Player.OPEN_LOOP_OTHER:
                raise ValueError(f"{player} repeats what the oracle has done, which `OracleCalls` find out")
            case _:
                return Omitting(scenario, player)

    def request_of(self, player: Player) -> RunRequest:
        scenarios = self.scenarios_by_name.values()
        # A run of edited scenarios is another run.
        sources = {scenario.name: source_digest(folder_of(scenario)) for scenario in scenarios}
        return RunRequest(
            agent=AgentSpec(player, player, {"sources": sources}),
            scenarios={scenario.name: scenario.version for scenario in scenarios},
            seeds=tuple(self.seeds[: self._most_seeds(player)]),
            chaos=tuple(self.levels),
            tools="all",
            concurrency=self.concurrency,
        )

    def _most_seeds(self, player: Player) -> int:
        most = len(self.seeds) if player is Player.ORACLE else self.sample or len(self.seeds)
        return most if player in SEEING else min(most, SEEDS_SAMPLED)


class OracleCalls:
    """What the oracle does on instances without chaos, each found out once by playing.

    Args:
        wanted: Of which scenarios.
        connection: The server.
    """

    def __init__(self, wanted: Certification, connection: TrainerConnection) -> None:
        self._wanted = wanted
        self._connection = connection
        self._request = replace(wanted.request_of(Player.ORACLE), chaos=(0,))
        self._found: dict[tuple[str, int], asyncio.Future[list[Action]]] = {}

    async def of(self, scenario: str, seed: int) -> list[Action]:
        """Return the oracle's calls on a seed."""
        if (scenario, seed) not in self._found:
            self._found[scenario, seed] = asyncio.ensure_future(self._play(scenario, seed))
        return await self._found[scenario, seed]

    async def _play(self, scenario: str, seed: int) -> list[Action]:
        oracle = Recorded(Oracle(self._wanted.scenarios_by_name[scenario]))
        player = ScriptedPlayer(oracle, self._wanted.scenarios_by_name[scenario])
        play = playing_here(
            self._request, "open_loop", self._connection, lambda task: player, keeps=lambda record: False
        )
        await play(EpisodeTask(scenario, seed, chaos=0, repeat=0))
        return oracle.calls


class OpenLoopPlayer(ScriptedPlayer):
    """Repeats what the oracle does on a seed, whatever it is shown."""

    def __init__(self, calls: OracleCalls, scenario: Scenario, seed: int) -> None:
        super().__init__(OpenLoopPlan([]), scenario)
        self._calls = calls
        self._seed = seed

    async def start(self, observation: Observation) -> None:
        """Begin an episode once it is known what the oracle does."""
        self._agent = OpenLoopPlan(await self._calls.of(self._scenario.name, self._seed))
        await super().start(observation)


@dataclass(frozen=True)
class CertificationRuns:
    """The folders of a certification's runs below one folder, and who is told of their progress.

    Attributes:
        about: What every `run.json` says besides the request.
        watch: Called with every finished episode.
        say: Told what a person who watches should know.
    """

    wanted: Certification
    out: Path
    about: Mapping[str, Any] = field(default_factory=dict)
    watch: Watch = lambda record: None
    say: Say = lambda text: None

    def recorded(self) -> Mapping[str, Sequence[EpisodeRecord]]:
        """Return what each run has recorded so far: nothing if its folder holds no run, or another one."""
        return {name: list(self._recorded(name, request)) for name, request in self.wanted.requests.items()}

    def report(self) -> dict[str, Any]:
        """Return the report on what is recorded; raises `FolderUnusable` if the fewest known steps cannot be read."""
        kept = fewest_steps_of(read_run(self.out / "oracle")) if Player.ORACLE in self.wanted.players else {}
        return self.wanted.report(self.recorded(), kept)

    def episodes_left(self) -> int:
        """Return how many episodes are not played yet."""
        recorded = self.recorded()
        return sum(len(tasks_left(request, recorded[name])) for name, request in self.wanted.requests.items())

    def refuse_folders(self) -> None:
        """Refuse early what `play` cannot write.

        Raises:
            FolderUnusable: A folder holds another run, or cannot be written.
        """
        for name, request in self.wanted.requests.items():
            refuse_folder(self.out / name, request)

    async def play(self, url: str, token: str | None) -> None:
        """Play every episode that is not recorded.

        Raises:
            ScenarioUnknown: A scenario does not exist.
            NotOffered: The server does not offer a scenario, or offers another version or other code.
            FolderUnusable: A folder holds another run, or cannot be written.
            CompanyosError: The server is unreachable, or refuses.
            RunStopped: The server stayed away, or refuses what is asked for.
        """
        async with TrainerConnection(url, token, limit=self.wanted.concurrency) as connection:
            await check_offered(connection, self.wanted.scenarios_by_name.values())
            with ExitStack() as folders:
                calls = OracleCalls(self.wanted, connection)
                sessions = {
                    name: self._session(name, connection, calls, folders) for name in self.wanted.requests
                }
                alone = sessions.pop(AGAIN, None)
                await play_together(list(sessions.values()), self.wanted.concurrency)
                if alone is not None:
                    await alone.play()

    def _recorded(self, name: str, request: RunRequest) -> Iterator[EpisodeRecord]:
        try:
            run = read_run(self.out / name)
        except FolderUnusable:
            return
        if not request.differences(run.request):
            yield from sorted(run.episodes, key=lambda record: record.instance)

    def _session(
        self, name: str, connection: TrainerConnection, calls: OracleCalls, folders: ExitStack
    ) -> RunSession:
        wanted, request, player = self.wanted, self.wanted.requests[name], _player(name)
        folder = folders.enter_context(RunFolder.open(self.out / name, request, {**self.about, "name": name}))

        def source(task: EpisodeTask) -> ScriptedPlayer:
            scenario = wanted.scenarios_by_name[task.scenario]
            if player in _REPEATED:
                return OpenLoopPlayer(calls, scenario, task.seed ^ _REPEATED[player])
            return ScriptedPlayer(wanted.agent(player, task), scenario)

        def keeps(record: EpisodeRecord) -> bool:
            return name == AGAIN or _contradicts(record, player)

        outages = Outages(connection.is_ready, say=self.say)
        play = playing_here(request, name, connection, source, outages, keeps=keeps)

        def watch(record: EpisodeRecord) -> None:
            self.watch(in_run(name, record))

        return RunSession(request, folder, connection, play, watch, say=self.say, attempts=1)


async def certify(
    url: str, token: str | None, wanted: Certification, out: Path, **callbacks: Any
) -> dict[str, Any]:
    """Play what is not recorded in the runs below `out`, and return the report; raises what playing does.

    Args:
        url: The trainer API.
        token: Its token, if it needs one.
        wanted: What to play.
        out: The folder of the runs.
        callbacks: Who is told of the progress, as for `CertificationRuns`.
    """
    runs = CertificationRuns(wanted, out, **callbacks)
    if runs.episodes_left():
        await runs.play(url, token)
    return runs.report()


def in_run(name: str, record: EpisodeRecord) -> EpisodeRecord:
    """Return a record of a run under a key that no other run of the certification has."""
    return replace(record, key=f"{name}/{record.key}")


def _player(run: str) -> Player:
    return Player.ORACLE if run == AGAIN else Player(run)


def _contradicts(record: EpisodeRecord, player: Player) -> bool:
    """Return whether an episode is worth a look: it failed although nobody may, or succeeded although nobody should."""
    is_broken = record.ended in (EpisodeEnding.AGENT_ERROR, EpisodeEnding.ENVIRONMENT_FAILURE)
    return (
        is_broken or (player is Player.ORACLE and not record.success) or (player in _BLIND and record.success)
    )
