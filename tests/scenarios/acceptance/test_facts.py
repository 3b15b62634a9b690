"""An episode can fail on every fact that success requires."""

import pytest

from companyos.sdk.scenario import CompanyState, Instance, View, load_scenarios
from tests.sizes import size

from .conftest import SEEDS

pytestmark = pytest.mark.proof


@pytest.mark.parametrize("name", sorted(load_scenarios()))
def test_a_finished_episode_without_one_of_its_changes_is_no_success(solved, name):
    kept = []
    for one in solved(name, range(size(2, SEEDS))):
        assert one.episode.success, one.instance.seed
        final = one.episode.state_of(one.instance)
        for must in one.instance.musts:
            initial, view = CompanyState(one.instance.rows).view(), final.view()
            assert must.holds(view), must.name
            if must.holds(initial):
                continue
            if all(holds(one.instance, without(one.instance, final, row)) for row in changed(final, view)):
                kept.append((one.instance.seed, must.name))

    assert kept == []


def changed(state: CompanyState, view: View) -> list[tuple[str, str, str]]:
    """Return the rows of the tables that a fact was looked up in that are not as they were."""
    tables, before = set(view.tables), view.initial
    return [row for row in state.written if row[:2] in tables and view.row(*row) != before.row(*row)]


def without(instance: Instance, state: CompanyState, row: tuple[str, str, str]) -> View:
    """Return a company in which one row is as it was."""
    service, table, row_id = row
    other = state.copy()
    other.apply(
        service, [{"table": table, "id": row_id, "row": CompanyState(instance.rows).view().row(*row)}]
    )
    return other.view()


def holds(instance: Instance, view: View) -> bool:
    """Return whether every fact that success asks for holds."""
    return all(must.holds(view) for must in instance.musts)
