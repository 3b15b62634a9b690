"""Values are found in briefs, calls and results, and related by equality and by their objects."""

from companyos.training.pointer.occurrences import History, mentions

from .conversations import conversation


def paths_of(history: History, value: object) -> list[tuple[str, ...]]:
    """Where a value occurs."""
    return [each.path for each in history.occurrences if history.values[each.value] == value]


def test_a_value_of_the_brief_a_call_and_a_result_is_one_value_in_three_places() -> None:
    history = conversation()

    assert paths_of(history, "C-7") == [
        ("brief", "id"),
        ("call", "desk_get", "case_id"),
        ("desk_get", "id"),
    ]


def test_fields_of_one_object_have_one_owner_and_objects_of_a_list_have_each_their_own() -> None:
    history = conversation()
    owners = {history.values[each.value]: each.owner for each in history.occurrences if each.turn == 1}

    assert owners["C-7"] == owners["ana.lopez"] == owners[81.5]
    assert len({owners["C-7"], owners["P-1"], owners["P-2"]}) == 3


def test_one_and_true_are_different_values_and_equal_numbers_are_the_same() -> None:
    history = conversation(known=(1, 1.0))

    assert history.find(1) == history.find(1.0)
    assert history.find(1) != history.find(True)


def test_prose_mentions_ids_names_numbers_times_and_named_values() -> None:
    text = (
        "Ask ana.lopez of Blue Harbor about TD-10 and T77, 1,250.50 due 2030-03-04T09:00:00Z, see `on_hold`."
    )

    found = [value for _, value in mentions(text)]

    assert found == ["ana.lopez", "Blue Harbor", "TD-10", "T77", 1250.5, "2030-03-04T09:00:00Z", "on_hold"]
    assert ("tax id", "T77") in list(mentions("- tax id: T77"))


def test_values_known_beforehand_can_be_found_but_do_not_occur() -> None:
    history = conversation(known=("policy",))

    assert history.find("policy") is not None
    assert not history.has_seen("policy")
    assert history.has_seen("C-7")
