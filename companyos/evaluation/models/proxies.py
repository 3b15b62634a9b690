"""The proxy on the way to an endpoint: the environment's, and none to this machine, which no proxy reaches."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.request import getproxies_environment

from companyos.client import ProxyUnusable
from companyos.client.server import Server, certificates

from .settings import AgentUnusable

if TYPE_CHECKING:
    import httpx2


def client_for(url: str) -> httpx2.AsyncClient | None:
    """Return the HTTP client for an endpoint; None leaves it to the vendor's library where no proxy is named.

    Raises:
        AgentUnusable: The proxy cannot be used. The message names its variable.
    """
    if not getproxies_environment():
        return None
    import httpx2

    try:
        with Server(url).proxy_named():
            # The libraries' own clients ask any proxy for every endpoint.
            return httpx2.AsyncClient(
                **{**Server(url).route_options, "verify": certificates()}, follow_redirects=True
            )
    except ProxyUnusable as unusable:
        raise AgentUnusable(str(unusable)) from None
