"""Profiles for properties: any that is well formed, and the faults it is made of."""

from typing import Any

from hypothesis import assume
from hypothesis import strategies as st

from companyos.sdk.chaos import (
    CATALOG,
    ChaosRefused,
    FaultId,
    FaultSpec,
    Layer,
    Parameter,
    parse_chaos,
)
from companyos.sdk.chaos.parse import MOST_COST

NAME = st.text("abc_-.1", max_size=8)
MATCHES = {
    Layer.BUSINESS: st.just({}),
    Layer.SERVICE: st.fixed_dictionaries(
        {}, optional={"service": NAME, "operation": st.lists(NAME, min_size=1, max_size=3)}
    ),
    Layer.EVENT: st.fixed_dictionaries({}, optional={"event": NAME, "consumer": NAME}),
}


@st.composite
def settings_of(draw: st.DrawFn, spec: FaultSpec) -> dict[str, Any]:
    """Return a setting of a fault as a trainer may write it: every key but p may be left out."""
    params = {name: draw(values_of(one)) for name, one in spec.parameters.items() if draw(st.booleans())}
    optional = {
        "B": st.integers(1, spec.longest_burst),
        "F": st.integers(1, min(spec.most_incidents, 3)),
        "match": MATCHES[spec.layer],
        "params": st.just(params),
    }
    return draw(st.fixed_dictionaries({"p": st.floats(0, 1)}, optional=optional))


def values_of(parameter: Parameter) -> st.SearchStrategy[Any]:
    """Return the values that a parameter may have."""
    if not parameter.options:
        return st.integers(int(parameter.low), int(parameter.high))
    one = st.sampled_from(parameter.options)
    return st.lists(one, min_size=1, unique=True) if parameter.several else one


@st.composite
def profiles(draw: st.DrawFn, *layers: Layer) -> dict[str, Any]:
    """Return a profile of some faults, of these layers if any are named, that is not too dear."""
    ids = [fault for fault in FaultId if not layers or CATALOG[fault].layer in layers]
    chosen = draw(st.lists(st.sampled_from(ids), max_size=6, unique=True))
    faults = {str(fault): draw(settings_of(CATALOG[fault])) for fault in chosen}
    limits = draw(
        st.fixed_dictionaries(
            {},
            optional={"service": st.integers(0, 9), "event": st.integers(0, 4), "stack": st.integers(1, 3)},
        )
    )
    profile = {"faults": faults, "limits": limits}
    assume(not _is_too_dear(profile))
    return profile


def _is_too_dear(profile: dict[str, Any]) -> bool:
    try:
        parse_chaos(profile)
    except ChaosRefused as refused:
        return f"no episode has room for more than {MOST_COST}" in str(refused)
    return False
