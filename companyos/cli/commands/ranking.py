"""The commands about leaderboards: `leaderboard add`, `leaderboard verify` and `leaderboard page`."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..summaries import WholeSummaries
from .numbers import PlainNumbers
from .option_groups import with_option_groups
from .options import HomeOption, JsonOption, TokenOption, UrlOption

if TYPE_CHECKING:
    from ..results.leaderboard import ReplayOptions

BoardArgument = Annotated[Path, typer.Argument(metavar="DIR", help="Folder of the leaderboard.")]


@dataclass(frozen=True)
class ReplayChoice:
    """The options about episodes that are played again."""

    most: Annotated[
        int,
        typer.Option("--replays", min=0, help="Most episodes of an entry to play again; 0 needs no stack."),
    ] = 200
    draw_key: Annotated[
        str | None, typer.Option(help="Key of the draw that chooses them. [default: a new one]")
    ] = None
    url: UrlOption = None
    token: TokenOption = None
    home: HomeOption = None

    def options(self) -> "ReplayOptions":
        """Return them as the commands take them."""
        from ..results.leaderboard import ReplayOptions
        from ..results.verification import StackOptions

        return ReplayOptions(self.most, self.draw_key, StackOptions(self.home, self.url, self.token))


def add_to(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    leaderboard = PlainNumbers(
        cls=WholeSummaries,
        help="Verify runs, collect them in a folder, and show them on one page.",
        no_args_is_help=True,
    )
    leaderboard.command()(add)
    leaderboard.command()(verify)
    leaderboard.command()(page)
    app.add_typer(leaderboard, name="leaderboard")


@with_option_groups
def add(
    *,
    run: Annotated[Path, typer.Argument(metavar="RUN", help="Result folder of `companyos run`.")],
    board: Annotated[Path, typer.Option(help="Folder of the leaderboard.")] = Path("leaderboard"),
    replays: ReplayChoice,
    cards: Annotated[
        bool, typer.Option("--cards", help="Keep the fewest known steps beside the scenarios' cards.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Verify a run and enter it; exit with 1 if it is refused."""
    from ..results.leaderboard import add as enter

    enter(run, board, replays.options(), cards=cards, as_json=as_json)


@with_option_groups
def verify(*, board: BoardArgument, replays: ReplayChoice, as_json: JsonOption = False) -> None:
    """Verify every entry again; exit with 1 if any is refused."""
    from ..results.leaderboard import verify as check

    check(board, replays.options(), as_json=as_json)


def page(
    board: BoardArgument,
    *,
    out: Annotated[Path | None, typer.Option(help="File to write. [default: index.html in DIR]")] = None,
) -> None:
    """Write one HTML page, which loads nothing; exit with 1 if an entry was altered."""
    from ..results.leaderboard import page as write

    write(board, out)
