"""Whether a task's allowances explain a write of the agent's own call, without a stack."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from companyos.cli.audit import rules
from companyos.sdk.scenario import Allowance, CompanyState, Table
from orchestrator.grading.own_writes import OwnWrites
from orchestrator.protocol.effects import RowKey

from .unit.orchestrator.sample_tasks import INSTANCE

Row = Mapping[str, Any]
released = cache(rules)


def unexplained(
    allowances: Iterable[Allowance], table: Table, row: Row, *, before: Row | None = None
) -> Collection[str]:
    """Return the columns of a write that nothing explains; `*` stands for the whole row.

    Args:
        allowances: Those of the task.
        table: The service and the table.
        row: The row after the write.
        before: The row before it; None if it is new.
    """
    service, name = table
    instance = replace(INSTANCE, allowances=tuple(allowances))
    state = CompanyState({service: {name: [dict(before)] if before else []}})
    writes = OwnWrites(instance, released().journals, released().maintained)
    writes.take(RowKey(service, name, row["id"]), row, state.view())
    state.apply(service, [{"table": name, "id": row["id"], "row": row}])
    return next(iter(writes.outside(state.view()).values()), frozenset())
