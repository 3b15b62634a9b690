"""The claim that a text names none of some people or objects, in whatever spelling."""

import pytest

from companyos.sdk.grading.allowances import names_none

NAMES = ("Birk & Sons", "ACC-155", "gita.laine7@post.example")


@pytest.mark.parametrize(
    "text",
    [
        "As with Birk & Sons.",
        "As with Birk  &\u00a0Sons.",
        "BIRK AND SONS",
        "Sons, Birk and others",
        "birk-&-sons",
        "Account ACC 155",
        "a c c - 1 5 5",
        "\u0410\u0421\u0421-155",
        "gita.laine7 at post.example",
    ],
)
def test_a_name_is_recognized_in_any_spelling(text: str) -> None:
    assert not names_none(NAMES)(text)


@pytest.mark.parametrize("text", ["", None, "Mr. Birk", "ACC-1557", "Sons of a gun", "post.example", "155"])
def test_a_text_may_say_anything_else(text: str | None) -> None:
    assert names_none(NAMES)(text)


def test_without_names_every_text_is_fine() -> None:
    assert names_none(())("Birk & Sons")
