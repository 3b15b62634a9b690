"""The three services on databases of their own, none of which takes anything from the bus by itself."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import pytest
from psycopg import AsyncConnection

from services.approvalflow.app import create_app as create_approvalflow
from services.datahub.app import create_app as create_datahub
from services.ticketdesk.app import create_app as create_ticketdesk
from tests.live_services import databases_in, running

from .paired_worlds import CompanyServices


@pytest.fixture(scope="session")
async def services(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[CompanyServices]:
    with databases_in(tmp_path_factory.mktemp("layers")) as databases:
        async with AsyncExitStack() as stack:
            desks = {}
            for create_app in (create_approvalflow, create_datahub, create_ticketdesk):
                desk = await stack.enter_async_context(running(create_app, databases))
                await desk.app.state.consumer.stop()
                desks[desk.name] = desk
            connecting = AsyncConnection.connect(databases.admin_url, autocommit=True)
            yield CompanyServices(desks, await stack.enter_async_context(await connecting))
