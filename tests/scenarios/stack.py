"""The product in this process: the services and the trainer API on real databases, in an event loop of a thread.

It plays any script on any instance of any family, and in any company that a test builds. What services, orchestrator
and graders run is measured by the coverage of the tests that play on it.
"""

import asyncio
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import Future
from contextlib import AbstractAsyncContextManager, AsyncExitStack, contextmanager
from dataclasses import dataclass
from functools import partial

import httpx

from companyos.sdk.chaos import Chaos
from companyos.sdk.company import Company, Person
from companyos.sdk.scenario import Instance, Observation, Persona, Scenario, Script, call, load_scenarios
from orchestrator.episodes.facade import Episodes, open_episodes
from orchestrator.http.app import trainer_api
from orchestrator.http.messages.guard import TrainerAccess
from orchestrator.runtime.settings import Settings
from services.approvalflow.app import create_app as create_approvalflow
from services.datahub.app import create_app as create_datahub
from services.ticketdesk.app import create_app as create_ticketdesk
from tests.live_services import ADMIN_TOKEN, CONTEXT_KEY, TestDatabases, serving

SERVICES = {
    "ticketdesk": create_ticketdesk,
    "datahub": create_datahub,
    "approvalflow": create_approvalflow,
}
#: A busy machine may take minutes.
READY_S = 600.0


class GivenCompanies(Scenario):
    """The companies that tests build, by seed in the order in which they were given."""

    name = "given_companies"
    version = 1
    title = "Given companies"
    summary = "A company that a test builds, in which nothing is asked for."

    def __init__(self) -> None:
        self._instances: list[Instance] = []

    def add(self, company: Company, person: Person) -> int:
        """Return the seed of a company in which the agent is this person."""
        seed = len(self._instances)
        persona = Persona(person.id, person.name, person.role)
        self._instances.append(
            Instance(
                scenario=self.name,
                version=self.version,
                seed=seed,
                rows=company.rows,
                persona=persona,
                brief=f"You are {person.name} ({person.id}).",
                cause="given",
                facts=None,
                start=company.start,
                oracle_steps=1,
                max_steps=300,
            )
        )
        return seed

    def generate(self, seed: int, chaos: Chaos, salt: str, size: str | int = "default") -> Instance:
        return self._instances[seed]

    def oracle(self, observation: Observation) -> Script:
        yield call("finish")


@dataclass(frozen=True)
class Stack:
    """The running product.

    Attributes:
        url: The address of its trainer API.
        agent_url: The address of its agent API.
        given: The companies that it offers besides the families.
    """

    url: str
    agent_url: str
    given: GivenCompanies


@contextmanager
def running_in_process(databases: TestDatabases) -> Iterator[Stack]:
    """Yield the stack once it is ready."""
    databases.migrate()
    given, address, stopping = GivenCompanies(), Future[tuple[str, str]](), threading.Event()
    serve = partial(_serve, databases, {**load_scenarios(), given.name: given}, address, stopping)
    thread = threading.Thread(target=serve, name="stack", daemon=True)
    thread.start()
    try:
        yield Stack(*address.result(READY_S), given)
    finally:
        stopping.set()
        thread.join()


def _serve(
    databases: TestDatabases,
    scenarios: Mapping[str, Scenario],
    address: "Future[tuple[str, str]]",
    stopping: threading.Event,
) -> None:
    try:
        asyncio.run(_serving(databases, scenarios, address, stopping))
    except BaseException as failure:
        if address.done():
            raise
        address.set_exception(failure)


async def _serving(
    databases: TestDatabases,
    scenarios: Mapping[str, Scenario],
    address: "Future[tuple[str, str]]",
    stopping: threading.Event,
) -> None:
    async with AsyncExitStack() as running:
        services = {
            name: await running.enter_async_context(serving(create(databases.settings(name))))
            for name, create in SERVICES.items()
        }
        settings = _settings(databases, services)

        def opened() -> AbstractAsyncContextManager[Episodes]:
            return open_episodes(settings.model_copy(update={"agent_url": agent_url}), lambda: scenarios)

        api = trainer_api(
            opened, TrainerAccess(published_host="127.0.0.1"), max_sessions=settings.max_sessions
        )
        agent_url = await running.enter_async_context(serving(api.state.agent_api, lifespan="off"))
        url = await running.enter_async_context(serving(api))
        await _until_ready(url)
        address.set_result((url, agent_url))
        await asyncio.to_thread(stopping.wait)


async def _until_ready(url: str) -> None:
    async with asyncio.timeout(READY_S), httpx.AsyncClient(base_url=url, timeout=READY_S) as client:
        while (await client.get("/ready")).status_code != httpx.codes.OK:
            await asyncio.sleep(0.02)


def _settings(databases: TestDatabases, services: Mapping[str, str]) -> Settings:
    return Settings.model_validate(
        {
            "database_url": databases.url("orchestrator"),
            "redis_url": databases.redis_url,
            "context_key": CONTEXT_KEY,
            "admin_token": ADMIN_TOKEN,
            "services": services,
            # Everything runs in this process, which may stand still for seconds on a busy machine.
            "call_s": 20.0,
        }
    )
