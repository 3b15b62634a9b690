"""The vocabulary has what several pairs of seeds used, as constants or around a seen value."""

from companyos.training.pointer.demonstrations import learn_vocabulary

from .conversations import call, episode

TITLE = ("desk_file", "title")


def test_a_text_around_a_seen_value_becomes_a_phrase_with_a_hole() -> None:
    shown = [
        episode(
            2 * pair, (call("desk_file", case_id=case, title=f"Case of {case}"), 0.0), brief=f"File {case}."
        )
        for pair, case in enumerate(("C-1", "C-2", "C-3"))
    ]

    assert learn_vocabulary(shown) == {TITLE: ("Case of {}",)}


def test_constants_of_one_pair_are_left_out() -> None:
    shown = [
        episode(seed, (call("desk_file", case_id="C-7", title=title), 0.0))
        for seed, title in ((0, "Urgent"), (1, "Routine"), (2, "Urgent"))
    ]

    assert learn_vocabulary(shown) == {TITLE: ("Urgent",)}


def test_prose_that_mentions_no_value_is_learned_as_a_phrase() -> None:
    note = "The form and the record differ."
    shown = [episode(seed, (call("desk_file", case_id="C-7", note=note), 0.0)) for seed in (0, 2)]

    assert learn_vocabulary(shown) == {("desk_file", "note"): (note,)}
