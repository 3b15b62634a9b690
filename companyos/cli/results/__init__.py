"""The commands that show results to people."""

from pathlib import Path
from typing import Final

from companyos.embedded.errors import Misuse

#: Where `companyos run` writes unless told otherwise.
DEFAULT_RUNS: Final = Path("runs")


def refuse_file(path: Path) -> None:
    """Refuse an `--out` at which no file can be written, before anything long is done for it.

    Raises:
        Misuse: It is a folder, or its own folder is missing or closed.
    """
    from companyos.evaluation.runs import FolderUnusable, refuse_place

    try:
        refuse_place(path, is_folder=False)
    except FolderUnusable as failure:
        raise Misuse(f"{failure}.") from None
