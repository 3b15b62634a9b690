"""The card of a data set: what is in it, how it was made, and where its files are."""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Final

from companyos.sdk.splits import Split
from companyos.version import __version__

from .conversations import Conversation
from .rows import Row

#: The file of the card.
CARD: Final = "README.md"
WHOLE: Final = (
    "A row is an episode: `messages` in chat format. What the agent reasoned is apart from what it said, in "
    "`reasoning_content`."
)
HEADINGS: Final = ("split", "rows", "episodes", "calls", "tokens", "tokens of the longest row")


@dataclass(frozen=True)
class Card:
    """What the card of a data set says beside its counts.

    Attributes:
        command: The command that made the data set.
        rows: What a row is.
        splits: The splits, and which episodes are in each.
        license: The license of the texts, as the Hub names it; None if it is not known.
    """

    command: str
    rows: str = WHOLE
    splits: Mapping[Split, str] = field(default_factory=lambda: {Split.TRAIN: "all"})
    license: str | None = None


@dataclass
class SplitCounts:
    """What a split has.

    Attributes:
        calls: Calls of the agent that a model learns from.
        longest: Tokens of the longest row.
    """

    rows: int = 0
    episodes: int = 0
    calls: int = 0
    tokens: int = 0
    longest: int = 0
    agents: set[str] = field(default_factory=set)
    scenarios: set[str] = field(default_factory=set)

    def add(self, conversation: Conversation, rows: Sequence[Row], tokens: Sequence[int]) -> None:
        """Count a conversation.

        Args:
            conversation: The conversation.
            rows: Its rows.
            tokens: The tokens of each of these.
        """
        self.rows += len(rows)
        self.episodes += 1
        self.calls += sum(len(message.get("tool_calls", ())) for message in conversation.messages)
        self.tokens += sum(tokens)
        self.longest = max([self.longest, *tokens])
        self.agents.add(conversation.agent)
        self.scenarios.add(conversation.record.scenario)

    def document(self) -> dict[str, int]:
        """Return the counts as JSON."""
        names = ("rows", "episodes", "calls", "tokens", "longest")
        return {name: getattr(self, name) for name in names}


def card_text(card: Card, counts: Mapping[Split, SplitCounts], tokens: str) -> str:
    """Return the text of a card; `tokens` says what its numbers of tokens are."""
    return "\n".join([*_head(card), "", *_body(card, counts, tokens), ""])


def _head(card: Card) -> Iterator[str]:
    yield "---"
    if card.license:
        yield f"license: {card.license}"
    yield "task_categories:\n  - text-generation\nlanguage:\n  - en\ntags:\n  - companyos\n  - tool-use"
    yield "configs:\n  - config_name: default\n    data_files:"
    for split in card.splits:
        yield f"      - split: {split}\n        path: data/{split}.jsonl"
    yield "---"


def _body(card: Card, counts: Mapping[Split, SplitCounts], tokens: str) -> Iterator[str]:
    episodes = sum(one.episodes for one in counts.values())
    agents = _enumeration(set().union(*(one.agents for one in counts.values())))
    scenarios = _enumeration(set().union(*(one.scenarios for one in counts.values())))
    yield "# Episodes of CompanyOS\n"
    yield f"{episodes} successful conversations, without duplicates, of {agents} in {scenarios}.\n"
    yield from map(_row, [HEADINGS, ("---",) * len(HEADINGS)])
    for split, one in counts.items():
        yield _row([split, *(f"{number:,}" for number in one.document().values())])
    yield f"\n{tokens}\n"
    yield from (f"- `{split}`: {episodes}" for split, episodes in card.splits.items())
    yield f"\n{card.rows}\n"
    yield "`tools` are the tools as the agent saw them. They and the arguments of calls are JSON in strings, because"
    yield "their fields differ from row to row. The other columns tell of the episode, and are options of its reset.\n"
    yield f"Made by CompanyOS {__version__} with this command:\n\n    {card.command}"


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _enumeration(names: Set[str]) -> str:
    return ", ".join(sorted(names)) or "no agent"
