"""Sources of typed lines: a terminal with completion, a plain terminal, or a pipe."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Final

from ..output import echo
from .completion import Vocabulary

if TYPE_CHECKING:
    from prompt_toolkit import PromptSession
    from prompt_toolkit.completion import Completion
    from prompt_toolkit.document import Document

PROMPT: Final = "> "
EXTRA: Final = "Install prompt_toolkit for completion: pip install 'openenv-companyos[play]'"

#: Returns the next line; raises EOFError at the end of the input, and KeyboardInterrupt if the line is
#: canceled.
LineSource = Callable[[], str]


def line_source(vocabulary: Vocabulary) -> LineSource:
    """Return the best source that this process's standard input and installation allow."""
    if not sys.stdin.isatty():
        return _piped
    try:
        return completing(vocabulary)
    except ImportError:
        echo(EXTRA)
        return lambda: input(PROMPT)


def completing(vocabulary: Vocabulary, **terminal: Any) -> LineSource:
    """Return a source that completes words during typing.

    Args:
        vocabulary: The words to complete.
        terminal: prompt_toolkit's `input` and `output`, if not the process's own.

    Raises:
        ImportError: prompt_toolkit is not installed.
    """
    from prompt_toolkit import PromptSession
    from prompt_toolkit.completion import Completer, Completion

    class Words(Completer):
        """Adapts the vocabulary to prompt_toolkit."""

        def get_completions(self, document: Document, complete_event: object) -> Iterable[Completion]:
            for found in vocabulary.suggestions(document.text_before_cursor):
                yield Completion(found.text, -found.replaces, display_meta=found.meaning)

    session: PromptSession[str] = PromptSession(
        PROMPT, completer=Words(), complete_while_typing=True, **terminal
    )
    return session.prompt


def _piped() -> str:
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    return line
