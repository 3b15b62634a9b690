"""The unit of work: one transaction in one world, from the first read to the commit that precedes the response.

Rules load rows, refuse or change them, and record events. The unit tracks the changes and writes them in one
transaction with the events' outbox rows and the outcome under the call's idempotency key. Business code never
commits.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import orjson

from ..postgres.epochs import Connection
from ..postgres.prepared import Call, Rows
from ..search_words import substring_pattern
from . import statements
from .causes import event_id
from .context import Context, sign
from .effects import Effects, Message
from .internals import Answer, DueRow, Internals, Outcome, series_counter
from .messages import Due, Event
from .pages import ListPage, row_of_cursor
from .prefetching import Lookup, call_of
from .tables import Row, WorldRow, WorldTable, described
from .tracking import Tracked, document, image, newest_of, rows_to_write, writing

#: Serializes work in a world, and lets row-level security write its last layer.
LOCK = "SELECT pg_advisory_xact_lock(hashtextextended(%(lock)s, 0)), set_config('app.layer', %(layer)s, true)"


class UnitOfWork:
    """The work of one call, tick or reaction in its world.

    Attributes:
        context: The signed context it runs under.
        outcome: The outcome of an earlier call under the same idempotency key, or None.
        internals: The chassis' row classes of the service.
        published_at: When the event being applied was recorded. Differs from now only for a deferred event.
        epoch: Epoch of the database; a layer holds other rows in another one.
        actor: Person id of the actor, or id of the acting automation.
        recorded: The events recorded so far.
        lookups: The lookups made, for `prefetching`.
    """

    def __init__(
        self, connection: Connection, context: Context, internals: Internals, context_key: str
    ) -> None:
        self.context = context
        self.epoch = connection.epoch
        self.outcome: Outcome | None = None
        self._connection = connection
        self.internals = internals
        self.published_at = context.now
        self.actor = context.actor
        self.recorded: list[Event] = []
        self._context_key = context_key
        self._chain = statements.chain_parameters(context.chain)
        self._tracked: dict[tuple[type, str], Tracked[Any]] = {}
        self._absent: set[tuple[type, str]] = set()
        self._changes: dict[tuple[str, str], dict[str, Any] | None] = {}
        self._originals: dict[tuple[str, str], bytes | None] = {}
        self._effects = Effects()
        self._recorded: list[tuple[str, str]] = []
        self._prefetched: dict[Lookup, list[Any]] = {}
        self.lookups: set[Lookup] = set()
        self.messages: list[Message] = []

    @property
    def now(self) -> int:
        """Simulated time, in seconds since the simulated epoch."""
        return self.context.now

    @property
    def role(self) -> str:
        """Role of the actor."""
        return self.context.role

    async def get(self, row: type[Row], key: str) -> Row | None:
        """Return the live row of a key, always the same object, or None. Commit writes changes to it."""
        await self.fetch((row, key))
        tracked = self._tracked.get((row, key))
        return None if tracked is None or tracked.removed else tracked.row

    async def fetch(self, *keys: tuple[type[WorldRow], str]) -> None:
        """Prefetch rows by class and key in one round trip, for later calls of `get`."""
        asked = [key for key in keys if not statements.unstorable(key[1])]
        self.lookups.update(Lookup(row, (key,)) for row, key in asked)
        unknown = [key for key in asked if key not in self._tracked and key not in self._absent]
        lookups = [(statements.newest(row), {**self._chain, "id": key}) for row, key in unknown]
        answers = await self._connection.together(*lookups) if lookups else []
        for (row, key), rows in zip(unknown, answers, strict=True):
            self._take_in(row, key, rows)

    async def all(self, row: type[Row], **equals: Any) -> list[Row]:
        """Return the live rows whose columns equal the given values (None means NULL), ordered by key."""
        if statements.unstorable(*equals.values()):
            return []
        await self._flush()
        if (lookup := Lookup.listing(row, equals)) is not None:
            self.lookups.add(lookup)
            if lookup in self._prefetched:
                return list(self._prefetched[lookup])
        return await self._rows(
            statements.listing(row, statements.compared(equals)), statements.bound(equals)
        )

    async def page(
        self,
        row: type[Row],
        *,
        after: str | None = None,
        limit: int = 50,
        contains: tuple[tuple[str, ...], str] | None = None,
        **equals: Any,
    ) -> ListPage[Row]:
        """Return up to `limit` live rows with keys greater than `after`, ordered by key.

        Args:
            row: The row class.
            after: Last key of the previous page, None for the first page.
            limit: Maximum number of rows.
            contains: Columns and a text that one of them must contain, in any spelling (`search_words.py`).
            equals: Columns and their required values.
        """
        columns, text = contains or ((), "")
        query = statements.paging(row, statements.compared(equals), frozenset(columns))
        pattern = {"contains": substring_pattern(text)} if columns else {}
        return await self.find_page(query, after=after, limit=limit, **pattern, **statements.bound(equals))

    async def find(self, query: statements.Query[Row], **parameters: Any) -> list[Row]:
        """Return the rows of a statement over `live` rows, in its order."""
        if statements.unstorable(*parameters.values()):
            return []
        await self._flush()
        return await self._rows(query, parameters)

    async def find_page(
        self,
        query: statements.PagedQuery[Row],
        among: Sequence[type[WorldRow]] = (),
        /,
        *,
        after: str | None,
        limit: int,
        **parameters: Any,
    ) -> ListPage[Row]:
        """Return up to `limit` rows of a statement over `live` rows, after the end of the previous page.

        The rows of the list, of which `after` is a key, are `among` these classes if not only the statement's.

        Raises:
            CursorUnknown: The list cannot have returned the cursor `after`.
        """
        bound = {**query.constants, **self._chain, **parameters, "after": after or "", "limit": limit}
        await self._flush()
        await self.row_of_cursor(after, *(among or (query.row,)))
        if statements.unstorable(*bound.values()):
            return ListPage([], 0)
        # In one round trip. Counting separately is cheaper than in the statement that reads the rows.
        rows, ((total,),) = await self._connection.together((query.sql, bound), (query.counting, bound))
        return ListPage([self._track(query.row(*values)) for values in rows], total)

    async def row_of_cursor(self, cursor: str | None, *rows: type[Row], **equals: Any) -> Row | None:
        """Return the row of a list's cursor, as `pages.row_of_cursor` does."""
        return await row_of_cursor(self._connection, self._chain, cursor, rows, equals)

    async def raw(self, statement: str) -> Rows:
        """Return the rows of a chassis statement over this world's chain, as tuples."""
        return await self._connection.rows(statement, self._chain)

    def add(self, row: WorldRow) -> None:
        """Add a row, replacing any with the same key."""
        self._tracked[type(row), row.id] = Tracked(row, None)

    def remove(self, row: WorldRow) -> None:
        """Remove a row from this world."""
        self._tracked[type(row), row.id].removed = True

    async def next_number(self, counter: str, *, start: int = 1) -> int:
        """Return the next number of a counter of this world, starting at `start`."""
        row = await self.get(self.internals.counter, counter)
        if row is None:
            self.add(row := self.internals.counter(id=counter, value=start - 1))
        row.value += 1
        return row.value

    async def next_id(self, row: type[WorldRow], prefix: str, *, start: int = 1, width: int = 1) -> str:
        """Return the next id of a series of this world, `<prefix><number>`. Ids of the base count as used.

        Args:
            row: The row class whose series it is.
            prefix: Text before the number.
            start: First number of an empty series.
            width: Minimum number of digits.
        """
        number = await self.next_number(series_counter(described(row).name, prefix), start=start)
        return f"{prefix}{number:0{width}}"

    def record(self, event: Event) -> str:
        """Publish an event with this unit's commit and return its id."""
        number = len(self._effects.events) + 1
        own_id = event_id(self.context.cause, self.internals.schema, number)
        self._effects.events.append({"id": own_id, "name": event.NAME})
        context = sign(self.context.caused_by(own_id), self._context_key)
        body = {**event.published(own_id, context), **self._way(event)}
        text = statements.dumps(body)
        self.messages.append(Message(self.context.world, self.context.layer, own_id, event.NAME, text))
        self.recorded.append(event)
        return own_id

    def changed(self) -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
        """Yield (table, columns before, columns now) of each business row written, by table and id."""
        self._note_changes(self._dirty())
        for (table, key), row in sorted(self._changes.items()):
            if row is not None:
                yield table, orjson.loads(self._originals.get((table, key)) or b"{}"), row

    def note_fault(self, fault: dict[str, Any]) -> None:
        """Report to the orchestrator that an event fault landed or ended."""
        self._effects.faults.append(fault)

    # `id` is the name of the business key everywhere.
    def schedule(self, due: Due, *, at: int, id: str) -> None:  # noqa: A002
        """Schedule a due event, replacing any with the same id."""
        self.add(self.internals.due(id=id, at=at, name=due.NAME, payload=due.model_dump(mode="json")))
        self._effects.due_moved = True

    async def cancel(self, id: str) -> None:  # noqa: A002
        """Cancel a due event, if it exists."""
        planned = await self.get(self.internals.due, id)
        if planned is not None:
            self.remove(planned)
            self._effects.due_moved = True

    async def take_due(self) -> "list[DueRow]":
        """Remove and return the events that are due, ordered by time, then id."""
        due = self.internals.due
        found = [plan for plan in await self.all(due) if plan.at <= self.now]
        ready = sorted(found, key=lambda plan: (plan.at, plan.id))
        for plan in ready:
            self.remove(plan)
        self._effects.due_moved = True
        return ready

    async def begin(
        self, keys: list[str], *, also: type[Row] | None = None, expected: Sequence[Lookup] = ()
    ) -> list[Row]:
        """Begin the transaction: lock the world, allow writes to its last layer, load earlier outcomes.

        Args:
            keys: Idempotency keys of the outcomes to load.
            also: A row class whose live rows are loaded in the same round trip.
            expected: Lookups that the unit will probably make, made in the same round trip.

        Returns:
            All live rows of the class `also`, ordered by key.
        """
        outcome = self.internals.outcome
        lock = {"lock": f"{self.internals.schema}:{self.context.world}", "layer": str(self.context.layer)}
        lookups = [(statements.newest(outcome), {**self._chain, "id": key}) for key in keys]
        wanted = [] if also is None else [statements.everything(also)]
        listings = [(query.sql, {**query.constants, **self._chain}) for query in wanted]
        early = [call_of(lookup, self._chain) for lookup in expected]
        opening = ("BEGIN", {}), (LOCK, lock), *lookups, *early, *listings
        _, _, *found = await self._connection.together(*opening)
        outcomes, answers = found[: len(keys)], found[len(keys) : len(keys) + len(early)]
        self.outcome = next(filter(None, (newest_of(outcome, rows) for rows in outcomes)), None)
        for lookup, rows in zip(expected, answers, strict=True):
            self._foresee(lookup, rows)
        listed = zip(wanted, found[len(keys) + len(early) :], strict=True)
        return [self._track(query.row(*values)) for query, rows in listed for values in rows]

    async def commit(self, outcomes: Sequence[Outcome], body: str | None) -> Effects:
        """Write changes, events and outcomes, commit, and return the effects; `body` is the response body."""
        if self.internals.watcher is not None:
            await self.internals.watcher.watch(self)
        effects = await self._settle_effects()
        packed = self.internals.answers.pack(Answer(body, effects.document())) if outcomes else b""
        for outcome in outcomes:
            outcome.answer = packed
            self.add(outcome)
        await self._connection.together(*self._written(self.messages), ("COMMIT", {}))
        return effects

    def _way(self, event: Event) -> dict[str, Any]:
        """Return the data that consumers need to inject faults into an event."""
        if not (self.context.armed or self.context.hold):
            return {}
        earlier = list(self._recorded)
        self._recorded.append((event.NAME, event.about))
        return {"object": event.about, "earlier": earlier}

    async def _settle_effects(self) -> Effects:
        if self._effects.due_moved:
            await self._flush()
            ((self._effects.next_due,),) = await self.raw(statements.earliest(self.internals.due, "at"))
        self._note_changes(self._dirty())
        self._effects.changes = [
            {"table": table, "id": key, "row": row} for (table, key), row in sorted(self._changes.items())
        ]
        return self._effects

    def _foresee(self, lookup: Lookup, rows: Rows) -> None:
        if lookup.columns is None:
            self._take_in(lookup.row, str(lookup.values[0]), rows)
        else:
            self._prefetched[lookup] = [self._track(lookup.row(*values)) for values in rows]

    def _take_in(self, row: type[WorldRow], key: str, rows: Rows) -> None:
        found = newest_of(row, rows)
        if found is None:
            self._absent.add((row, key))
        else:
            self._track(found)

    async def _rows(self, query: statements.Query[Row], parameters: dict[str, Any]) -> list[Row]:
        bound = {**query.constants, **self._chain, **parameters}
        return [self._track(query.row(*values)) for values in await self._connection.rows(query.sql, bound)]

    def _track(self, row: Row) -> Row:
        tracked = self._tracked.get((type(row), row.id))
        if tracked is None:
            tracked = self._tracked[type(row), row.id] = Tracked(row, image(row))
        return tracked.row  # type: ignore[no-any-return]

    def _dirty(self) -> "list[tuple[WorldTable, Tracked[Any]]]":
        return [(described(row), tracked) for (row, _), tracked in self._tracked.items() if tracked.is_dirty]

    def _note_changes(self, dirty: "list[tuple[WorldTable, Tracked[Any]]]") -> None:
        for table, tracked in dirty:
            if not table.internal:
                self._originals.setdefault((table.name, tracked.row.id), tracked.stored)
                self._changes[table.name, tracked.row.id] = None if tracked.removed else document(tracked.row)

    async def _flush(self) -> None:
        if self._tracked and (written := self._written([])):
            # The changes may affect the prefetched lists.
            self._prefetched.clear()
            await self._connection.together(*written)

    def _written(self, messages: list[Message]) -> list[Call]:
        """Return the statement that writes changes and messages, if there are any."""
        dirty = self._dirty()
        self._note_changes(dirty)
        batches = rows_to_write(dirty)
        for key in [key for key, tracked in self._tracked.items() if tracked.removed]:
            del self._tracked[key]
        if not (batches or messages):
            return []
        return [writing(batches, messages, layer=self.context.layer, schema=self.internals.schema)]
