"""The three services together, on databases of their own: what one test stops must not run on elsewhere."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import pytest
from psycopg import AsyncConnection

from services.approvalflow.app import create_app as create_approvalflow
from services.datahub.app import create_app as create_datahub
from services.ticketdesk.app import create_app as create_ticketdesk
from tests.live_services import Desk, databases_in, running

from .company import Desks
from .story import Outboxes


@pytest.fixture(scope="session")
async def desks(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Desks]:
    with databases_in(tmp_path_factory.mktemp("events")) as databases:
        async with AsyncExitStack() as stack:
            started: list[Desk] = [
                await stack.enter_async_context(running(create_app, databases))
                for create_app in (create_approvalflow, create_datahub, create_ticketdesk)
            ]
            yield {desk.name: desk for desk in started}


@pytest.fixture(scope="module")
async def silent(desks: Desks) -> AsyncIterator[Desks]:
    """The services, none of which takes anything from the bus by itself."""
    for desk in desks.values():
        await desk.app.state.consumer.stop()
    yield desks
    for desk in desks.values():
        await desk.app.state.consumer.start()


@pytest.fixture(scope="module")
async def outboxes(desks: Desks) -> AsyncIterator[Outboxes]:
    url = desks["datahub"].databases.admin_url
    async with await AsyncConnection.connect(url, autocommit=True) as admin:
        yield Outboxes(admin)
