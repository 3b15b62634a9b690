"""Search words: what a text that somebody searches for means, independent of spelling. Pure.

A term may be written in one word, in two, or with a hyphen or an underscore between its parts: `callback`,
`call back`, `call-back` and `call_back` find one another, and so do British and American spellings.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from .errors import QueryEmpty, QueryTooLong

#: Most words of a query.
MOST_WORDS: Final = 60
_SEPARATORS: Final = re.compile(r"[\s_-]+")
#: What may separate the parts of a compound, and what separates two words, as regular expressions of PostgreSQL.
_SEPARATOR: Final = "[-_[:space:]]?"
_BETWEEN: Final = "[-_[:space:]]*"
_TERM: Final = re.compile(r'-?"[^"]*"?|[^\s"]+')
#: Characters that separate the words of a query, as in PostgreSQL's web search syntax.
_BETWEEN_WORDS: Final = str.maketrans(dict.fromkeys("!&|():", " "))
#: A longer word is no lexeme of PostgreSQL.
_LONGEST_WORD: Final = 400
#: A longer word is not searched for as a compound of two.
_LONGEST_COMPOUND: Final = 20
_SHORTEST_PART: Final = 3
_ENGLISH: Final = """
i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she her hers herself
it its itself they them their theirs themselves what which who whom this that these those am is are was were be
been being have has had having do does did doing a an the and but if or because as until while of at by for with
about against between into through during before after above below to from up down in out on off over under
again further then once here there when where why how all any both each few more most other some such no nor not
only own same so than too very s t can will just don should now
"""
#: The words that PostgreSQL's English configuration does not index.
STOP_WORDS: Final = frozenset(_ENGLISH.split())


#: Parts of words that British and American English spell differently.
_ENGLISHES: Final = (
    ("centre", "center"),
    ("licenc", "licens"),
    ("authoris", "authoriz"),
    ("organis", "organiz"),
    ("programme", "program"),
    ("colour", "color"),
)


@dataclass(frozen=True)
class _Term:
    """A word or a quoted phrase of a query.

    Attributes:
        text: Its text, without quotes and without the minus that excludes it.
    """

    text: str
    is_excluded: bool = False
    is_quoted: bool = False

    @property
    def parts(self) -> list[str]:
        """The words that it consists of; empty unless they are all letters, and one is indexed."""
        parts = [part for part in _SEPARATORS.split(self.text.casefold()) if part]
        is_compound = all(part.isalpha() for part in parts) and not STOP_WORDS.issuperset(parts)
        return parts if is_compound else []


def full_text_query(text: str) -> tuple[str, str]:
    """Return a text in web search syntax as queries of PostgreSQL's `to_tsquery`: as written, and in any spelling.

    Every word must occur, `or` separates alternatives, quotes mark a phrase, and a minus excludes a word.

    Raises:
        QueryEmpty: It has no letter and no digit.
        QueryTooLong: It has too many words.
    """
    alternatives = _alternatives(text)
    as_written = " | ".join(_all_of([_plain(term) for term in terms]) for terms in alternatives)
    return as_written, " | ".join(_all_of(list(_any_spelling(terms))) for terms in alternatives)


def substring_pattern(text: str) -> str:
    """Return the regular expression that finds a text within texts, in any spelling, singular or plural.

    Raises:
        QueryEmpty: It consists of separators.
        QueryTooLong: It has too many words.
    """
    words = [word for word in _SEPARATORS.split(text) if word]
    if not words:
        raise QueryEmpty(text)
    if len(words) > MOST_WORDS:
        raise QueryTooLong(MOST_WORDS)
    return _BETWEEN.join(_pattern(word) for word in words)


def _alternatives(text: str) -> list[list[_Term]]:
    if not any(sign.isalnum() for sign in text):
        raise QueryEmpty(text)
    found: list[list[_Term]] = [[]]
    for match in _TERM.finditer(text.translate(_BETWEEN_WORDS)):
        if match[0].casefold() == "or" and found[-1]:
            found.append([])
        elif (term := _term(match[0])).text:
            found[-1].append(term)
    if sum(len(term.text.split()) for terms in found for term in terms) > MOST_WORDS:
        raise QueryTooLong(MOST_WORDS)
    return [terms for terms in found if terms]


def _term(written: str) -> _Term:
    text = written.lstrip("-")
    content = text.strip('"')
    return _Term(
        content[:_LONGEST_WORD] if any(sign.isalnum() for sign in content) else "",
        is_excluded=written != text,
        is_quoted=text.startswith('"'),
    )


def _any_spelling(terms: Sequence[_Term]) -> Iterator[str]:
    """Yield an operand for each term, which accepts it in other spellings, also as a part of a compound."""
    joined = [_joined(*pair) for pair in pairwise(terms)]
    for term, before, after in zip(terms, ["", *joined], [*joined, ""], strict=True):
        compounds = [_quoted(compound) for compound in (before, after) if compound]
        spellings = dict.fromkeys([_quoted(term.text), *_spellings(term.parts), *compounds])
        yield ("!" if term.is_excluded else "") + f"({' | '.join(spellings)})"


def _joined(first: _Term, second: _Term) -> str:
    """Return the compound of two successive words, or nothing."""
    for term in (first, second):
        if term.is_excluded or term.is_quoted or len(term.parts) != 1:
            return ""
    return first.parts[0] + second.parts[0]


def _spellings(parts: Sequence[str]) -> Iterator[str]:
    """Yield the other spellings of a term."""
    yield from map(_quoted, _in_other_english(" ".join(parts)))
    if len(parts) > 1:
        yield _quoted(" ".join(parts))
        yield _quoted("".join(parts))
    for word in parts if len(parts) == 1 and len(parts[0]) <= _LONGEST_COMPOUND else ():
        for end in range(1, len(word)):
            first, second = word[:end], word[end:]
            yield _quoted(f"{first}-{second}")
            if min(len(first), len(second)) >= _SHORTEST_PART and not {first, second} & STOP_WORDS:
                yield _quoted(f"{first} {second}")


def _in_other_english(text: str) -> Iterator[str]:
    """Yield a text as American English spells it if it is British, and the other way around."""
    for british, american in _ENGLISHES:
        if british in text:
            yield text.replace(british, american)
        elif american in text:
            yield text.replace(american, british)


def _plain(term: _Term) -> str:
    return ("!" if term.is_excluded else "") + _quoted(term.text)


def _all_of(operands: Sequence[str]) -> str:
    return f"({' & '.join(operands)})"


def _quoted(text: str) -> str:
    """Return a text as an operand of `to_tsquery`."""
    doubled = text.replace("\\", "\\\\").replace("'", "''")
    return f"'{doubled}'"


def _pattern(word: str) -> str:
    """Return the pattern of a word, which also matches its plural or singular, in either English."""
    patterns = [_number_pattern(each) for each in (word, *_in_other_english(word.casefold()))]
    return patterns[0] if len(patterns) == 1 else f"({'|'.join(patterns)})"


def _number_pattern(word: str) -> str:
    if not word.isalpha() or len(word) > _LONGEST_COMPOUND:
        return re.escape(word)
    for ending, kept, endings in _PLURALS:
        if len(word) > len(ending) + 2 and word.casefold().endswith(ending):
            return _SEPARATOR.join(word[: len(word) - len(ending)] + kept) + endings
    return _SEPARATOR.join(word)


#: Endings of words, what is kept of them, and the pattern of the endings that mean the same.
_PLURALS: Final = (
    ("ies", "", "(ies|y)"),
    ("y", "", "(ies|y)"),
    ("sses", "ss", "(es)?"),
    ("xes", "x", "(es)?"),
    ("ches", "ch", "(es)?"),
    ("shes", "sh", "(es)?"),
    ("ss", "ss", "(es)?"),
    ("s", "", "s?"),
    ("", "", "s?"),
)
