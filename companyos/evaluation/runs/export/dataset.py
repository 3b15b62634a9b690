"""Data sets: folders that `datasets.load_dataset` reads and the Hub shows, with one file per split and a card."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

from companyos.sdk.splits import Split

from .card import CARD, Card, SplitCounts, card_text
from .conversations import Conversation
from .rows import Row, RowsOf, line_of
from .tokens import TokenCounter

#: The folder of the data files within that of a data set.
DATA: Final = Path("data")


@dataclass(frozen=True)
class Example:
    """A conversation of a data set, with its rows."""

    split: Split
    conversation: Conversation
    rows: Sequence[Row]


def examples(
    conversations: Iterable[Conversation],
    rows_of: RowsOf,
    split_of: Callable[[str, int], Split] = lambda scenario, seed: Split.TRAIN,
) -> Iterator[Example]:
    """Yield an example for each conversation with rows, which is for training unless `split_of` says otherwise."""
    for one in conversations:
        if rows := rows_of(one):
            yield Example(split_of(one.record.scenario, one.record.seed), one, rows)


def write_dataset(
    folder: Path, found: Iterable[Example], card: Card, tokens: TokenCounter
) -> dict[Split, SplitCounts]:
    """Write a data set to a folder, in place of one that is there.

    Files get their names when all are written, and the card last.

    Args:
        folder: The folder, which is created if it does not exist.
        found: What is in it.
        card: What its card says.
        tokens: Counts tokens.

    Returns:
        What each split of the card has.

    Raises:
        OSError: It cannot be written.
    """
    (folder / DATA).mkdir(parents=True, exist_ok=True)
    parts = {split: folder / DATA / f"{split}.jsonl.part" for split in card.splits}
    counts = {split: SplitCounts() for split in card.splits}
    with ExitStack() as files:
        lines: dict[Split, IO[str]] = {
            split: files.enter_context(part.open("w", encoding="utf-8")) for split, part in parts.items()
        }
        for one in found:
            lines[one.split].writelines(map(line_of, one.rows))
            counts[one.split].add(one.conversation, one.rows, tokens.of(one.rows, one.conversation.tools))
    for split in Split:
        if split in parts:
            os.replace(parts[split], folder / DATA / f"{split}.jsonl")
        else:
            (folder / DATA / f"{split}.jsonl").unlink(missing_ok=True)
    (folder / CARD).write_text(card_text(card, counts, tokens.how), encoding="utf-8")
    return counts


def is_replaceable(folder: Path) -> bool:
    """Return whether a folder is missing, empty, or holds a data set."""
    if not folder.exists():
        return True
    return folder.is_dir() and (
        not any(folder.iterdir()) or (folder / DATA / f"{Split.TRAIN}.jsonl").exists()
    )
