"""Estimates how many tokens a request has, and learns from the endpoint's own counts."""

import json
import re
from collections.abc import Mapping
from math import ceil
from typing import Any, Final

#: Tokens per byte. Small vocabularies need about one token for three bytes of JSON and English; most need
#: fewer.
_FIRST_GUESS: Final = 0.4
#: The tokens per byte of an episode's requests differ by less than this factor.
_MARGIN: Final = 1.1
#: A picture in Base64, which costs tokens by its pixels and not by its bytes, and the bytes of text that cost as much.
_PICTURE: Final = re.compile(rb"[A-Za-z0-9+/=]{4000,}")
_PICTURE_BYTES: Final = 4000


class TokenEstimate:
    """Estimates tokens from size: cautious at first, close to the endpoint's counts later."""

    def __init__(self) -> None:
        self._tokens_per_byte = _FIRST_GUESS

    def tokens_of(self, request: Mapping[str, Any]) -> int:
        """Return an upper estimate of the request's tokens."""
        return ceil(_size(request) * self._tokens_per_byte)

    def learn(self, request: Mapping[str, Any], tokens: int) -> None:
        """Record how many tokens the endpoint counted in a request; 0 if it did not say."""
        if tokens > 0:
            self._tokens_per_byte = _MARGIN * tokens / _size(request)


def _size(request: Mapping[str, Any]) -> int:
    text = json.dumps(request, ensure_ascii=False).encode(errors="replace")
    return len(_PICTURE.sub(b" " * _PICTURE_BYTES, text))
