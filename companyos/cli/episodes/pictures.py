"""The `browser` command: a process that plays the episodes of a stack by pictures, for clients of OpenEnv."""

import os
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

from companyos.browser.app import browser_api
from companyos.browser.environment import BrowserEnv
from companyos.browser.episodes import BrowserEpisodes
from companyos.client import CompanyosError
from companyos.client.pages.chromium import shared_chromium
from companyos.embedded.errors import Misuse, StackError
from companyos.embedded.home import Home
from companyos.embedded.ports import listen
from companyos.embedded.server import serve_app
from orchestrator.http.messages.guard import TrainerAccess, TrainerApiUnprotected, require_token

from ..demo import checked_url
from ..output import echo, print_json
from ..process import secret

NAME = "browser"
TOKENS = ("COMPANYOS_TRAINER_TOKEN", "COMPANYOS_TRAINER_TOKEN_FILE")


def run(
    home: Path | None,
    *,
    url: str | None,
    token: str | None,
    agent_url: str | None,
    host: str,
    port: int,
    limit: int,
    as_json: bool,
) -> None:
    """Serve the stack at `url`, or that of a home, by pictures until a SIGTERM.

    Raises:
        StackError: No stack or no Chromium is there, or the port is taken.
        Misuse: Others could reach it without a token, or an address is none.
    """
    stack_url, key = _stack(home, url, token)
    access = _access(host, key)
    connect = partial(BrowserEnv, stack_url, token=key, agent_url=checked_url(agent_url))
    try:
        version = shared_chromium().start()
        with connect() as env:
            scenarios = env.scenarios()
    except CompanyosError as failure:
        raise StackError(str(failure)) from failure
    listener = listen(host, port, exactly=True, address="--host")
    address = f"http://{host}:{listener.getsockname()[1]}"
    _announce(address, urlsplit(stack_url).netloc.rpartition("@")[2], version, as_json=as_json)
    episodes = partial(BrowserEpisodes, connect, scenarios, limit=limit)
    serve_app(NAME, partial(browser_api, episodes, access, limit=limit), listener)


def _stack(home: Path | None, url: str | None, token: str | None) -> tuple[str, str | None]:
    """Return the trainer API and its token."""
    if token is None and any(os.environ.get(name) for name in TOKENS):
        token = secret(TOKENS[0]) or None
    if url is not None:
        return str(checked_url(url)), token
    running = Home.at(home).status()
    if running is None:
        raise StackError(
            "No stack runs here. Start one with `companyos up --detach`, or name another with --url."
        )
    return running.url, token or running.trainer_token


def _access(host: str, token: str | None) -> TrainerAccess:
    published = os.environ.get("COMPANYOS_PUBLISHED_HOST")
    try:
        require_token(published or host, token)
    except TrainerApiUnprotected as refusal:
        raise Misuse(str(refusal).replace("trainer API", "browser")) from None
    return TrainerAccess(published_host=published or host, token=token, local_only=published is None)


def _announce(address: str, stack: str, version: str, *, as_json: bool) -> None:
    if as_json:
        print_json({"url": address, "stack": stack, "browser": f"Chromium {version}"})
    else:
        echo(f"Chromium {version} plays the stack at {stack} by pictures, at {address}.")
        echo("Clients of OpenEnv take this address. Stop it with Ctrl-C.")
