"""Everything an episode is, but for its name and the names of its layers: what two episodes must share to be equal.

Rows are read twice: straight from every table that has layers, found in the database's own catalog, so that no
table can be forgotten, the chassis' own included; and as the services themselves read them.
"""

from typing import Any

import httpx
import orjson

from companyos.chassis.world.context import HEADER, Context, sign
from companyos.chassis.world.tables import SEARCH
from orchestrator.episodes.facade import Episodes
from orchestrator.protocol.records import Episode
from tests.live_services import ADMIN_TOKEN, CONTEXT_KEY
from tests.patience import PATIENCE_S

from .stack import Stack

State = dict[str, Any]

WORLD_TABLES = """
SELECT table_schema || '.' || table_name FROM information_schema.columns
WHERE column_name = 'layer_id' ORDER BY table_schema, table_name
"""
#: Not part of the hash or of what was played: how long a step took, and which way led to the episode.
CIRCUMSTANCES = ("took_ms", "origin", "seal")


async def world_tables(stack: Stack) -> list[str]:
    """Return every table of every service that has layers, by name."""
    return [name for (name,) in await stack.rows(WORLD_TABLES)]


async def state_of(stack: Stack, episodes: Episodes, episode_id: str) -> State:
    """Return the rows, due events, clock, ledger and trace of an episode."""
    episode = await episodes._episode(episode_id)
    trace = await episodes.trace(episode_id)
    return {
        "rows": await rows_of(stack, episode.chain),
        "seen": await seen_by_services(stack, episode),
        "clock": (episode.now, episode.due),
        "ledger": (episode.total, [record.get("reward") for record in trace]),
        "progress": (episode.step, episode.done, episode.terminated, episode.truncated, episode.success),
        "invalid": episode.invalid,
        "hash": episode.hash,
        "trace": [_without_circumstances(record) for record in trace],
    }


async def rows_of(stack: Stack, chain: tuple[int, ...]) -> dict[str, Any]:
    """Return the live rows of a chain by table and key, each as its exact text."""
    statement = " UNION ALL ".join(_live_rows(table) for table in await world_tables(stack))
    found: dict[str, Any] = {}
    for table, key, row in await stack.rows(statement, {"chain": list(chain)}):
        found.setdefault(table, {})[key] = row
    return found


async def seen_by_services(stack: Stack, episode: Episode) -> dict[str, Any]:
    """Return the business rows of a world as each service reads them."""
    context = Context(episode.world, episode.chain, episode.now, "nobody", "looker-on", "look", "look")
    headers = {HEADER: sign(context, CONTEXT_KEY), "authorization": f"Bearer {ADMIN_TOKEN}"}
    async with httpx.AsyncClient(headers=headers, timeout=PATIENCE_S) as client:
        answers = [(name, await client.get(f"{url}/admin/layers")) for name, url in stack.services.items()]
    return {name: orjson.loads(answer.raise_for_status().content)["tables"] for name, answer in answers}


def _live_rows(table: str) -> str:
    newest = (
        f"SELECT DISTINCT ON (id) * FROM {table} WHERE layer_id = ANY(%(chain)s) ORDER BY id, layer_id DESC"
    )
    row = f"(to_jsonb(newest) - 'layer_id' - 'deleted' - '{SEARCH}')::text"  # the words searched name their layer
    return f"(SELECT '{table}', newest.id, {row} FROM ({newest}) AS newest WHERE NOT deleted)"


def _without_circumstances(record: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in record.items() if name not in CIRCUMSTANCES}
