"""The client of a stack with which `companyos browser` plays: pictures in JPEG, and pages where it can reach them."""

from __future__ import annotations

from typing import Any

from companyos.client import Record
from companyos.client.pages.picture import JPEG
from companyos.client.pages.pixel_browser import PixelBrowser
from companyos.client.pages.pixel_door import PixelDoor, PixelDoorEnv


class JpegDoor(PixelDoor):
    """The browser of one episode, whose pictures travel well."""

    def open_browser(self, url: str, token: str) -> PixelBrowser:
        """Return a browser of pictures of the pages at this address."""
        return PixelBrowser(url, token, JPEG)


class BrowserEnv(PixelDoorEnv):
    """Episodes played through pictures of their pages.

    Args:
        agent_url: Where the agent API is reached from here, if not where the stack says.
        options: As `CompanyosEnv` takes them.
    """

    OPENS = JpegDoor

    def __init__(self, base_url: str, *, agent_url: str | None = None, **options: Any) -> None:
        super().__init__(base_url, **options)
        self._agent_url = agent_url

    @property
    def agent_access(self) -> Record:
        """The agent's token and addresses, with that of the pages as it is reached from here."""
        access = super().agent_access
        if not access or self._agent_url is None:
            return access
        pages = f"{self._agent_url.rstrip('/')}/web/"
        return Record({**access, "agent_urls": {**access["agent_urls"], "web": pages}})

    def scenarios(self) -> list[dict[str, Any]]:
        """Return the stack's scenarios, as it lists them.

        Raises:
            CompanyosError: It does not answer, or refuses the token.
        """
        listed: list[dict[str, Any]] = self._run(self._episode.get("/scenarios", {}, list))
        return listed
