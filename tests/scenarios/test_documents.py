"""Every document of every family reads itself: what its template writes comes back, field by field."""

import pkgutil
from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import scenarios
from companyos.sdk.documents import Each, FieldForm, Fields, OneOf, Template, Value
from tests.sizes import size

WORDS = st.from_regex(r"[A-Z][a-z]{1,7}( [a-z]{1,7})?", fullmatch=True)
NUMBERS = st.integers(0, 10**5)


def templates_of(value: Any) -> Iterator[Template]:
    if isinstance(value, Template):
        yield value
    elif isinstance(value, Mapping | tuple):
        for one in value.values() if isinstance(value, Mapping) else value:
            yield from templates_of(one)


TEMPLATES = [
    template
    for module in pkgutil.walk_packages(scenarios.__path__, "scenarios.")
    for name, value in vars(import_module(module.name)).items()
    if name.isupper()
    for template in templates_of(value)
]


def draw_fields(data: st.DataObject, template: Template, known: Fields) -> Fields:
    """Return a value for each field of a template; a name that is known stands for one thing."""
    for name, part in template.parts.items():
        if name not in known:
            known[name] = draw_value(data, name, part)
        if isinstance(part, OneOf):
            draw_fields(data, part.wordings[known[name]], known)
    return known


def draw_value(data: st.DataObject, name: str, part: FieldForm) -> Any:
    if isinstance(part, OneOf):
        return data.draw(st.sampled_from([*part.wordings]), name)
    if isinstance(part, Each):
        items = [draw_fields(data, part.item, {}) for _ in range(data.draw(st.integers(0, 3), name))]
        return [one[part.field] if part.field else one for one in items]
    assert isinstance(part, Value)
    if not part.spec:
        return data.draw(WORDS, name)
    number = data.draw(NUMBERS, name)
    # In the digits that the format has.
    return float(format(number / 100, part.spec.strip(","))) if part.spec[-1] in "fg" else number


@pytest.mark.proof
@settings(max_examples=size(8, 100))
@given(st.data())
def test_every_template_reads_what_it_writes(data: st.DataObject) -> None:
    for template in TEMPLATES:
        fields = draw_fields(data, template, {})

        assert template.read(template.write(**fields)) == fields
