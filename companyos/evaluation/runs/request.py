"""The request of a run: an agent, and every combination of scenario, chaos, seed and repetition."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from typing import Any, Final

from companyos.sdk.chaos import parse_chaos

#: The options of the forms in which episodes are shown, each with its default.
FORMATS: Final[Mapping[str, str]] = {"tools_format": "schemas", "observation_format": "full"}


class Door(StrEnum):
    """The way in which an agent acts: it calls tools, or it uses the pages as text or as pictures."""

    TOOLS = "tools"
    TEXT = "text"
    SCREENSHOT = "screenshot"


#: A chaos level, the name of a preset, or a profile.
ChaosSetting = int | str | Mapping[str, Any]

#: What is played: scenario, chaos and seed.
Instance = tuple[str, int | str, int]

#: Settings of an agent that change nothing of what it plays: they let it reach its model.
_NOT_DECISIVE = frozenset({"api_key_variable", "max_wait_s"})
#: Digits of a profile's digest in the names of its episodes.
_DIGEST_DIGITS = 8


@dataclass(frozen=True)
class AgentSpec:
    """The agent of a run.

    Attributes:
        kind: How it is reached, such as `oracle`, `openai` or `command`.
        name: Its name in reports, such as a model's.
        settings: Its settings; never a secret.
    """

    kind: str
    name: str
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Budgets:
    """Limits; None is no limit.

    Attributes:
        steps: Most steps of one episode.
        tokens: Most tokens of one episode, prompts and completions together.
        usd: Cost in US dollars after which no further episode begins.
        minutes: Minutes of real time after which no further episode begins.
        steps_over_oracle: Most steps of one episode, divided by those of the oracle's longest episode among the
            run's instances of the same scenario and chaos. The agent sees what remains of them. They are the
            same for all these instances, or they would tell which of them are short.
    """

    steps: int | None = None
    tokens: int | None = None
    usd: float | None = None
    minutes: float | None = None
    steps_over_oracle: float | None = None


@dataclass(frozen=True)
class EpisodeTask:
    """One episode of a run, named by its key; `max_steps` is its horizon if it is not the scenario's own."""

    scenario: str
    seed: int
    chaos: ChaosSetting
    repeat: int
    max_steps: int | None = None

    @property
    def key(self) -> str:
        """The name of the episode and of its files."""
        return f"{self.scenario}-c{self.chaos_label}-s{self.seed}-r{self.repeat}"

    @property
    def chaos_label(self) -> int | str:
        """The level, the preset's name, or `custom-` and the profile's digest."""
        return chaos_label(self.chaos)

    @property
    def instance(self) -> Instance:
        """What is played: scenario, chaos and seed."""
        return self.scenario, self.chaos_label, self.seed


@dataclass(frozen=True)
class RunRequest:
    """Everything that determines what a run plays.

    Attributes:
        scenarios: The version of each scenario by its name.
        split: The split that the seeds belong to; None if they were given as they are.
        guidance: How much the brief explains; None for the server's default.
        tools_format: How tools are shown: `schemas` or `signatures`.
        observation_format: How much of a result its text shows: `full` or `compact`.
        size: The size of the company, a name or a number of rows; None for the server's default.
        start: Where in the oracle's solution episodes start, as a reset takes it; None for the brief.
        snapshot: The snapshot from which episodes start; its own are the scenario, the seed and the chaos.
        repeats: How often each instance is played.
        rewards: The reward profile.
        tools: `scenario`, `all`, or names of tools.
        concurrency: Episodes in progress at once.
        oracle: Whether the oracle also plays each instance, to compare the numbers of steps.
        turn_timeout_s: Longest time that the agent may take for one turn, in seconds.
        door: The way in which the agent acts.
    """

    agent: AgentSpec
    scenarios: Mapping[str, int]
    seeds: Sequence[int]
    chaos: Sequence[ChaosSetting]
    split: str | None = None
    guidance: str | None = None
    size: str | int | None = None
    start: Mapping[str, Any] | None = None
    snapshot: str | None = None
    repeats: int = 1
    rewards: str = "seed"
    tools: str | Sequence[str] = "scenario"
    concurrency: int = 8
    budgets: Budgets = Budgets()
    oracle: bool = False
    turn_timeout_s: float = 600.0
    tools_format: str = FORMATS["tools_format"]
    observation_format: str = FORMATS["observation_format"]
    door: Door = Door.TOOLS

    def tasks(self) -> Iterator[EpisodeTask]:
        """Yield every episode, grouped by instance, so that each company is loaded once."""
        for scenario in self.scenarios:
            for chaos in self.chaos:
                for seed in self.seeds:
                    for repeat in range(self.repeats):
                        yield EpisodeTask(scenario, seed, chaos, repeat)

    def reset_options(self, task: EpisodeTask) -> dict[str, Any]:
        """Return the options of an episode's reset."""
        world = {"scenario": task.scenario, "seed": task.seed, "chaos": task.chaos}
        options: dict[str, Any] = {
            **(world if self.snapshot is None else {"snapshot": self.snapshot}),
            "rewards": self.rewards,
            "tools": self.tools if isinstance(self.tools, str) else list(self.tools),
        }
        more = {
            "guidance": self.guidance,
            "size": self.size,
            "start": self.start,
            "max_steps": task.max_steps,
        }
        formats = {name: getattr(self, name) for name in FORMATS if getattr(self, name) != FORMATS[name]}
        return {**options, **{name: value for name, value in more.items() if value is not None}, **formats}

    def with_scenarios(self, versions: Mapping[str, int]) -> "RunRequest":
        """Return the request with these scenarios instead."""
        return replace(self, scenarios=dict(versions))

    def document(self) -> dict[str, Any]:
        """Return the request as JSON."""
        return {
            **{name: value for name, value in asdict(self).items() if not isinstance(value, tuple)},
            "seeds": list(self.seeds),
            "chaos": list(self.chaos),
            "tools": self.tools if isinstance(self.tools, str) else list(self.tools),
        }

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> "RunRequest":
        """Return the request of a document.

        Raises:
            KeyError: A part is missing.
            TypeError: A part has the wrong type.
        """
        agent, budgets = AgentSpec(**document["agent"]), Budgets(**document["budgets"])
        rest = {
            name: document[name]
            for name in ("scenarios", "split", "guidance", "repeats", "rewards", "concurrency")
        }
        tools = document["tools"]
        return cls(
            agent=agent,
            budgets=budgets,
            seeds=tuple(document["seeds"]),
            chaos=tuple(document["chaos"]),
            tools=tools if isinstance(tools, str) else tuple(tools),
            size=document.get("size"),
            start=document.get("start"),
            snapshot=document.get("snapshot"),
            oracle=document.get("oracle", False),
            **{name: document.get(name, default) for name, default in FORMATS.items()},
            turn_timeout_s=document.get("turn_timeout_s", 600.0),
            door=Door(document.get("door", Door.TOOLS)),
            **rest,
        )

    def differences(self, other: "RunRequest") -> list[str]:
        """Return the parts in which two requests ask for different episodes, by name.

        Concurrency, the limits of cost and time, and what only lets the agent reach its model may differ.
        """
        mine, theirs = self.decisive(), other.decisive()
        different = [name for name in mine if mine[name] != theirs[name]]
        return [f"agent{self._settings_unlike(other)}" if name == "agent" else name for name in different]

    def _settings_unlike(self, other: "RunRequest") -> str:
        """Return in which settings two agents of the same kind and name differ, in parentheses."""
        if (self.agent.kind, self.agent.name) != (other.agent.kind, other.agent.name):
            return ""
        mine, theirs = self.agent.settings, other.agent.settings
        names = {**mine, **theirs}.keys() - _NOT_DECISIVE
        different = sorted(name for name in names if mine.get(name) != theirs.get(name))
        return f" ({', '.join(different)})"

    def decisive(self) -> dict[str, Any]:
        """Return the parts that determine which episodes are played and what happens in them."""
        parts = self.document()
        budgets = {name: parts["budgets"][name] for name in ("steps", "tokens", "steps_over_oracle")}
        kept = {name: value for name, value in parts.items() if name not in ("concurrency", "turn_timeout_s")}
        settings = {name: value for name, value in self.agent.settings.items() if name not in _NOT_DECISIVE}
        return {**kept, "agent": {**parts["agent"], "settings": settings}, "budgets": budgets}


def chaos_label(chaos: ChaosSetting) -> int | str:
    """Return a chaos setting's label: the level, the preset's name, or `custom-` and a digest."""
    if isinstance(chaos, Mapping):
        return f"custom-{parse_chaos(chaos).digest[:_DIGEST_DIGITS]}"
    return chaos
