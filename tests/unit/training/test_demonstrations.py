"""The vocabulary has what several pairs of seeds used, as constants or around a seen value."""

from companyos.training.demonstrations import Reach, examples, learn_vocabulary

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


def test_constants_of_one_pair_are_left_out_and_reported_as_missing() -> None:
    shown = [
        episode(seed, (call("desk_file", case_id="C-7", title=title), 0.0))
        for seed, title in ((0, "Urgent"), (1, "Routine"), (2, "Urgent"))
    ]
    reach = Reach()

    vocabulary = learn_vocabulary(shown)
    for one in shown:
        list(examples(one, vocabulary, reach))

    assert vocabulary == {TITLE: ("Urgent",)}
    assert (reach.calls, dict(reach.missing)) == (3, {TITLE: ["Routine"]})


def test_prose_that_mentions_no_value_is_learned_as_a_phrase() -> None:
    note = "The form and the record differ."
    shown = [episode(seed, (call("desk_file", case_id="C-7", note=note), 0.0)) for seed in (0, 2)]

    assert learn_vocabulary(shown) == {("desk_file", "note"): (note,)}


def test_an_example_shows_the_conversation_before_its_call() -> None:
    shown = episode(0, (call("desk_get", case_id="C-7"), 0.0), (call("desk_file", case_id="C-7"), 1.0))

    turns = [(history.turns, action["tool_name"]) for history, _, action in examples(shown, {})]

    assert turns == [(0, "desk_get"), (1, "desk_file")]
