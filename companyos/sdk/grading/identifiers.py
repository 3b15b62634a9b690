"""Identifiers of people and objects, recognized in a text in whatever spelling."""

import re
import unicodedata
from collections.abc import Iterable, Set
from typing import Final

#: Letters of other scripts that look like Latin ones.
_LOOKALIKES: Final = str.maketrans(
    "АВЕКМНОРСТУХІЈЅавекмнорстухіјѕһԁԛԝΑΒΕΖΗΙΚΜΝΟΡΤΥΧαβεικνορτυχη",
    "abekmhopctyxijsabekmhopctyxijshdqwabezhikmnoptyxabeikvoptuxn",
)
#: The names of characters that are one Latin letter, such as with a stroke, as a small capital, or in a white circle.
_LETTER: Final = re.compile(
    r".*(?:LATIN|INDICATOR SYMBOL)\b.* LETTER (?:(?:SMALL CAPITAL|DOTLESS) )?([A-Z])(?: WITH .*)?"
)
#: An identifier with so many letters and digits is recognized inside of a longer word, too.
_LONG: Final = 8
_GAP: Final = r"[\W_]*"
#: How the signs of an address are read out.
_SAID: Final = {"@": "at", ".": "dot"}


class Identifiers:
    """Recognizes identifiers, ignoring case, accents, separators, and letters that merely look alike.

    A name of several words is also recognized by all its words in any order.
    """

    def __init__(self, identifiers: Iterable[str]) -> None:
        self._folded = [_fold(one) for one in identifiers]

    def __bool__(self) -> bool:
        return bool(self._folded)

    def are_in(self, texts: Iterable[str]) -> bool:
        """Return whether one of them is in these texts, read one after the other."""
        text = _fold("\n".join(texts))
        words = _words(text)
        letters, vocabulary = "".join(words), {*words}
        return any(_is_spelled(one, text, letters) or _is_told(one, vocabulary) for one in self._folded)


def _is_spelled(identifier: str, text: str, letters: str) -> bool:
    """Return whether an identifier is in a text, whose letters and digits are given for a quick look."""
    if "".join(_words(identifier)) not in letters and not any(sign in identifier for sign in _SAID):
        return False
    return re.search(_spelling(identifier), text) is not None


def _is_told(identifier: str, words: Set[str]) -> bool:
    """Return whether a name's words are among these."""
    return " " in identifier and words >= {*_words(identifier)}


def _fold(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", text.translate(_LOOKALIKES))
    shown = (one for one in decomposed if unicodedata.category(one) not in ("Mn", "Cf"))
    return "".join(one if one.isascii() else _plain(one) for one in shown).casefold()


def _plain(sign: str) -> str:
    """Return the digit or Latin letter that a character is, in whatever script or shape, or the character itself."""
    if (digit := unicodedata.digit(sign, None)) is not None:
        return str(digit)
    letter = _LETTER.fullmatch(unicodedata.name(sign, ""))
    return letter[1] if letter else sign


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text)


def _spelling(identifier: str) -> str:
    """Return a pattern of an identifier with anything but letters and digits between its characters."""
    parts = (re.escape(one) if one.isalnum() else f"(?:{_SAID.get(one, '')})?" for one in identifier)
    spelled = _GAP.join(parts)
    if sum(map(str.isalnum, identifier)) >= _LONG:
        return spelled
    return rf"(?<![^\W_]){spelled}(?![^\W_])"
