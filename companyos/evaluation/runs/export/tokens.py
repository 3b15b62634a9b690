"""Counts the tokens of a data set: with a tokenizer, or as the model layer estimates them before it has seen any."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from companyos.evaluation.models.token_estimate import TokenEstimate

from .rows import Row, messages_of


class TokenizerUnusable(ValueError):
    """A tokenizer cannot be used. The message says why."""


@dataclass
class TokenCounter:
    """Counts the tokens of rows, each message and each set of tools once.

    Args:
        count: Counts those of one message, or of tools.
        how: What the numbers are, in a sentence.
    """

    count: Callable[[Mapping[str, Any]], int]
    how: str
    _tools: dict[str, int] = field(default_factory=dict)

    def of(self, rows: Iterable[Row], tools: Sequence[Mapping[str, Any]]) -> list[int]:
        """Return the tokens of each row of a conversation with these tools."""
        messages: dict[int, int] = {}
        return [sum(self._parts(row, tools, messages)) for row in rows]

    def _parts(self, row: Row, tools: Sequence[Mapping[str, Any]], messages: dict[int, int]) -> Iterator[int]:
        text = row["tools"]
        if text not in self._tools:
            self._tools[text] = self.count({"tools": tools})
        yield self._tools[text]
        # The rows of a conversation share its messages.
        for message in messages_of(row):
            if id(message) not in messages:
                messages[id(message)] = self.count({name: value for name, value in message.items() if value})
            yield messages[id(message)]


def estimated_tokens() -> TokenCounter:
    """Return a counter that needs no tokenizer."""
    how = "Tokens are an upper estimate from the size of the JSON; chat templates and tokenizers differ."
    return TokenCounter(TokenEstimate().tokens_of, how)


def tokens_of_tokenizer(name: str) -> TokenCounter:
    """Return a counter with a tokenizer.

    Args:
        name: A `tokenizer.json`, or the name of a model on the Hub.

    Raises:
        TokenizerUnusable: It cannot be loaded, or the library `tokenizers` is not installed.
    """
    try:
        from tokenizers import Tokenizer
    except ImportError:
        raise TokenizerUnusable(
            "the library `tokenizers` is not installed. Install it with: pip install tokenizers"
        ) from None
    try:
        found = Tokenizer.from_file(name) if Path(name).is_file() else Tokenizer.from_pretrained(name)
    except Exception as failure:  # noqa: BLE001 - the library raises plain exceptions, and others of the Hub's client
        raise TokenizerUnusable(f"{name} cannot be loaded as a tokenizer: {failure}") from None

    def count(part: Mapping[str, Any]) -> int:
        return len(found.encode(json.dumps(part, ensure_ascii=False), add_special_tokens=False).ids)

    return TokenCounter(count, f"Tokens are those of `{name}` in the JSON; chat templates add to them.")
