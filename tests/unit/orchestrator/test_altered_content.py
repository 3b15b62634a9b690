"""A page that is cut short: what it keeps, and how an agent gets the rest."""

from orchestrator.chaos.altered_content import first_half


def page(*items: dict[str, str]) -> dict[str, object]:
    return {"items": list(items), "total": len(items), "next_cursor": None}


def test_a_page_keeps_its_first_half_and_a_cursor_to_the_rest() -> None:
    items = [{"id": f"TD-{number}"} for number in range(5)]

    part = first_half(page(*items), items)

    assert part == {"items": items[:3], "total": 5, "next_cursor": "TD-2", "partial": True}


def test_a_page_with_one_item_cannot_be_cut() -> None:
    items = [{"id": "TD-1"}]

    assert first_half(page(*items), items) is None


def test_a_page_whose_items_are_no_cursors_is_left_whole() -> None:
    items = [{"object_id": "REC-1", "owner": "ada.lund"}, {"object_id": "REC-2", "owner": "ada.lund"}]

    assert first_half(page(*items), items) is None
