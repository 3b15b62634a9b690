"""Counts tokens as SmolLM2's tokenizer does, without the model.

`smollm2_merges.txt.gz` has the tokenizer's merges, best first, as `HuggingFaceTB/SmolLM2-135M-Instruct` publishes them
under the Apache License 2.0. The number of tokens needs nothing else of it: a text is cut into words, and the bytes of
a word are merged as far as the merges go.
"""

import gzip
import re
from functools import cache
from itertools import pairwise
from pathlib import Path

_MERGES = Path(__file__).with_name("smollm2_merges.txt.gz")
#: Words as GPT-2 cuts them, and every digit by itself.
_DIGITS = re.compile(r"(\d)")
_WORD = re.compile(r"'(?:s|t|re|ve|m|ll|d)| ?[^\W\d_]+| ?(?:[^\w\s]|_)+|\s+(?!\S)|\s+")


def tokens_of(text: str) -> int:
    """Return the number of tokens of a text without special tokens."""
    return sum(
        _tokens_of_word(word)
        for piece in _DIGITS.split(text)
        for word in ([piece] if piece.isdigit() else _WORD.findall(piece))
    )


def tokens_of_message(role: str, text: str) -> int:
    """Return the number of tokens of a message in the model's chat format, ChatML."""
    begin, end, line_break = 1, 1, tokens_of("\n")
    return begin + tokens_of(f"{role}\n{text}") + end + line_break


@cache
def _tokens_of_word(word: str) -> int:
    letters, ranks = _letters(), _ranks()
    parts = [letters[byte] for byte in word.encode()]
    while len(parts) > 1:
        rank, where = min((ranks.get(pair, len(ranks)), at) for at, pair in enumerate(pairwise(parts)))
        if rank == len(ranks):
            break
        parts[where : where + 2] = [parts[where] + parts[where + 1]]
    return len(parts)


@cache
def _ranks() -> dict[tuple[str, str], int]:
    lines = gzip.decompress(_MERGES.read_bytes()).decode().split("\n")
    return {
        (left, right): rank for rank, (left, _, right) in enumerate(line.partition(" ") for line in lines)
    }


@cache
def _letters() -> list[str]:
    """Return the printable letter that stands for each byte, as in GPT-2."""
    shown = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    hidden = [byte for byte in range(256) if byte not in shown]
    return [chr(byte if byte in shown else 256 + hidden.index(byte)) for byte in range(256)]
