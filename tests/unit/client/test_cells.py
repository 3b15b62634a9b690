"""What a client knows of several cells, from answers that are given to it here, without any connection."""

from collections import Counter
from collections.abc import Mapping
from urllib.parse import urlsplit

import pytest

from companyos.client import InvalidRequest
from companyos.client.cells.directory import Cells
from companyos.client.transport import Answer, Request


def survey(cells: Cells, names: Mapping[str, str]) -> list[str]:
    """Answer the questions of a survey with the names of the cells by port, and return the addresses asked."""
    asked: list[str] = []
    plan = cells.survey()
    answer = None
    while True:
        try:
            request = plan.send(answer)
        except StopIteration:
            return asked
        asked.append(str(request.at))
        name = names[str(urlsplit(str(request.at)).port)]
        answer = Answer(200, {"name": name, "open_episodes": 0, "drains_s": 0})


def test_a_name_leads_to_every_cell_that_it_resolves_to_and_ids_to_their_own() -> None:
    cells = Cells("companyos+dns://127.0.0.1:9001, http://127.0.0.1:9002/")

    asked = survey(cells, {"9001": "cell-a", "9002": "cell-b"})

    assert {urlsplit(url).port for url in asked} == {9001, 9002}
    assert cells.with_address(Request("GET", "/episodes/cell-b.ep-1"), None).at == "http://127.0.0.1:9002"
    assert cells.with_address(Request("POST", "/restore"), "cell-b.ep-1").at == "http://127.0.0.1:9002"


def test_many_episodes_of_one_company_spread_over_the_cells() -> None:
    cells = Cells("http://127.0.0.1:9001,http://127.0.0.1:9002")
    survey(cells, {"9001": "cell-a", "9002": "cell-b"})

    begun = Counter(cells.choose({"scenario": "toy", "seed": 1}) for _ in range(40))

    # An episode goes elsewhere in every second case at most, once its company's own cell is clearly fuller.
    assert min(begun["cell-a"], begun["cell-b"]) >= 5


@pytest.mark.parametrize("name", ["", "cell-a"])
def test_cells_without_names_of_their_own_are_refused(name: str) -> None:
    cells = Cells("http://127.0.0.1:9001,http://127.0.0.1:9002")

    with pytest.raises(InvalidRequest, match="Give each another COMPANYOS_CELL"):
        survey(cells, {"9001": "cell-a", "9002": name})
