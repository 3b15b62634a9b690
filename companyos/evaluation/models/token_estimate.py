"""Estimates how many tokens a request has, and learns from the endpoint's own counts."""

import json
from collections.abc import Mapping
from math import ceil
from typing import Any, Final

#: Small vocabularies need about a token for three bytes of JSON and English; most need fewer.
_FIRST_GUESS: Final = 0.4
#: Requests of an episode differ in what they are made of, by less than this.
_MARGIN: Final = 1.1


class TokenEstimate:
    """Tokens by size: cautious at first, close to the endpoint's counts later."""

    def __init__(self) -> None:
        self._tokens_per_byte = _FIRST_GUESS

    def tokens_of(self, request: Mapping[str, Any]) -> int:
        """Return how many tokens the request is likely to have at most."""
        return ceil(_size(request) * self._tokens_per_byte)

    def learn(self, request: Mapping[str, Any], tokens: int) -> None:
        """Note how many tokens the endpoint counted in a request; 0 if it did not say."""
        if tokens > 0:
            self._tokens_per_byte = _MARGIN * tokens / _size(request)


def _size(request: Mapping[str, Any]) -> int:
    return len(json.dumps(request, ensure_ascii=False).encode(errors="replace"))
