"""`play --browser`: a person plays an episode in the pages, and sees the grade here at its end."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any, Final

from companyos.client import CompanyosEnv
from companyos.embedded.errors import StackError

from ..output import echo
from ..results.browser import show_in_browser
from .texts import LEFT, grade_text

#: Seconds between two looks at whether the episode is over.
LOOK_S: Final = 1.0


def play_in_browser(env: CompanyosEnv, options: Mapping[str, Any]) -> None:
    """Open the pages of a new episode, and show its grade once it is over; Ctrl-C leaves it.

    Raises:
        StackError: The stack has no agent API, which serves the pages.
    """
    env.reset(**options)
    access = env.agent_access
    if not access:
        raise StackError("This stack has no agent API, and so no pages.")
    address = f"{access['agent_urls']['web']}enter?token={access['agent_token']}"
    echo(f"Your episode: {address}\nPlay it in the browser and hand in there. Ctrl-C leaves it.")
    show_in_browser(address)
    try:
        while not env.state()["done"]:
            time.sleep(LOOK_S)
    except KeyboardInterrupt:
        echo(LEFT)
        return
    echo(grade_text(env.grade()))
