"""Why an entry is refused: stable codes, each with what makes it right."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any, Final, Self

_ORIGINAL: Final = "Enter the folder as `companyos run` wrote it."
_PLAY_AGAIN: Final = "Play the run again with the installed release."
_PLAY_THE_REST: Final = "Repeat the command of the run, which plays what is missing, and keep every episode."
_ADD_AGAIN: Final = "Remove the entry, and add its run again."


class ProblemCode(StrEnum):
    """The reasons to refuse an entry.

    Attributes:
        remedy: What makes it right.
    """

    remedy: str

    def __new__(cls, code: str, remedy: str) -> Self:
        """Make a member with its remedy."""
        member = str.__new__(cls, code)
        member._value_, member.remedy = code, remedy
        return member

    RUN_UNREADABLE = "run_unreadable", _ORIGINAL
    ENTRY_EXISTS = "entry_exists", "Enter another run."
    SALT_UNCOMMITTED = (
        "salt_uncommitted",
        "List the SHA-256 of COMPANYOS_SALT in salts.json before it is used.",
    )
    SCENARIO_UNKNOWN = "scenario_unknown", "Set COMPANYOS_SCENARIOS to the scenario's folder."
    VERSION_DIFFERS = "version_differs", _PLAY_AGAIN
    PART_OF_A_TASK = "part_of_a_task", "Play whole tasks, without --start and --snapshot."
    SEEDS_OUTSIDE_SPLIT = "seeds_outside_split", "Play with --split test and an even number of --seeds."
    EPISODE_MISSING = "episode_missing", _PLAY_THE_REST
    EPISODE_INVALID = "episode_invalid", _PLAY_THE_REST
    TRACE_UNREADABLE = "trace_unreadable", _ORIGINAL
    TRACE_ALTERED = "trace_altered", _ORIGINAL
    TRACE_OF_ANOTHER_TASK = "trace_of_another_task", "Play it with COMPANYOS_SALT as it is here."
    TRACE_MISGRADED = "trace_misgraded", _ORIGINAL
    REWARD_DIFFERS = "reward_differs", _ORIGINAL
    GRADE_DIFFERS = "grade_differs", _ORIGINAL
    REPLAY_DIFFERS = "replay_differs", _PLAY_AGAIN
    ORACLE_DIFFERS = "oracle_differs", _PLAY_AGAIN
    FILES_ALTERED = "files_altered", _ADD_AGAIN
    METRICS_ALTERED = "metrics_altered", _ADD_AGAIN


@dataclass(frozen=True)
class EntryProblem:
    """A reason to refuse an entry.

    Attributes:
        episode: The key of the episode; empty if it is about the run.
    """

    code: ProblemCode
    detail: str
    episode: str = ""

    def document(self) -> dict[str, Any]:
        """Return the problem as JSON."""
        return {**asdict(self), "remedy": self.code.remedy}


class EntryRefused(Exception):
    """An entry is refused for these problems."""

    def __init__(self, problems: Sequence[EntryProblem]) -> None:
        super().__init__(problems[0].detail)
        self.problems = problems
