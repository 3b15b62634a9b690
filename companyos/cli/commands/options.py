"""Options that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

HomeOption = Annotated[
    Path | None,
    typer.Option(
        envvar="COMPANYOS_HOME", help="Folder of the stack's data and logs. [default: ~/.companyos]"
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]
UrlOption = Annotated[str | None, typer.Option(help="Trainer API of another stack, as http://host:port.")]
UrlsOption = Annotated[
    list[str] | None,
    typer.Option(help="Trainer API of another stack, as http://host:port; several are used as one."),
]
TokenOption = Annotated[
    str | None, typer.Option(envvar="COMPANYOS_TRAINER_TOKEN", help="Token of that trainer API.")
]
ScenariosArgument = Annotated[
    list[str] | None, typer.Argument(help="Names of scenarios. [default: all]", show_default=False)
]
SeedsOption = Annotated[
    str, typer.Option(help="Number of seeds per scenario, or a range such as 0-99; 2k and 2k+1 are a pair.")
]
ConcurrencyOption = Annotated[int, typer.Option(min=1, max=1024, help="Episodes in progress at once.")]
CardsOption = Annotated[bool, typer.Option("--cards", help="Write the results into the scenarios' cards.")]
