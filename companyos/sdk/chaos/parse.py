"""The parser for a trainer's chaos setting: a level, a name or a profile, checked against the catalog."""

import re
from collections.abc import Collection, Mapping
from dataclasses import asdict, replace
from typing import Any, Final

from companyos.sdk.plain_numbers import decimal, whole

from . import presets
from .catalog import CATALOG, FaultId, FaultSpec, Layer, Parameter
from .catalog.business import BUSINESS
from .profile import Chaos, ChaosRefused, Limits, Setting, canonical, restrict

_PROFILE_KEYS: Final = ("preset", "only", "except", "faults", "limits")
_SETTING_KEYS: Final = ("p", "B", "F", "match", "params")
_MATCH_KEYS: Final[Mapping[Layer, tuple[str, ...]]] = {
    Layer.BUSINESS: (),
    Layer.SERVICE: ("service", "operation", "object", "steps"),
    Layer.EVENT: ("event", "consumer", "object"),
}
#: The most steps that a profile's repairs may cost; beyond it, no horizon would be practical.
MOST_COST: Final = 170
_MOST_NAMES: Final = 50
#: How many services have event incidents that can affect a task, each with its own budget.
_CONSUMERS: Final = 2
_NAME: Final = re.compile(r"[ -~]{0,200}")


def parse_chaos(value: int | str | Mapping[str, Any]) -> Chaos:
    """Return the chaos for a level (0-5), the name of a preset or alias, or a profile object.

    A profile object starts from its `preset` (calm by default), keeps `only` the named layers or all `except` them,
    and replaces the preset's `faults` and `limits` with its own.

    Raises:
        ChaosRefused: Unknown level, name, fault or parameter, a value out of bounds, or an unsolvable profile.
    """
    if isinstance(value, Mapping):
        return _profile(value)
    return _preset(_named(value))


def cost_bound(chaos: Chaos, *, business: Collection[FaultId] = tuple(FaultId)) -> int:
    """Return the most additional steps, over all seeds, that an agent which handles every incident may need.

    Args:
        chaos: The chaos setting.
        business: The business faults to count: those that a scenario offers, and none that are added to a running
            episode.

    The bound is the sum of the most expensive incidents that each fault's F and its layer's limits allow, each with
    the cost of handling it (`FaultSpec.cost_of`) and its repeated attempts. It holds for every draw.
    """
    return sum(_layer_cost(chaos, layer, business) for layer in Layer)


def _layer_cost(chaos: Chaos, layer: Layer, business: Collection[FaultId]) -> int:
    limits = chaos.limits
    consumers = _CONSUMERS if layer is Layer.EVENT else 1
    most = {Layer.BUSINESS: limits.business[1], Layer.SERVICE: limits.service, Layer.EVENT: limits.event}
    each = sorted(
        (
            CATALOG[known].cost_of(setting.params) + setting.B - 1
            for known, setting in chaos.of(layer).items()
            if layer is not Layer.BUSINESS or known in business
            for _ in range(setting.F * consumers)
        ),
        reverse=True,
    )
    return sum(each[: most[layer] * consumers])


def _named(value: Any) -> int | str:
    value = whole(value)
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise ChaosRefused("chaos is a level (0-5), a preset name or a profile object")
    return value


def _preset(value: int | str) -> Chaos:
    if isinstance(value, int):
        if not 0 <= value < len(presets.NAMES):
            raise ChaosRefused(
                f"there is no chaos level {value}; levels go from 0 to {len(presets.NAMES) - 1}"
            )
        value = presets.NAMES[value]
    try:
        return presets.preset(value)
    except KeyError:
        known = ", ".join((*presets.NAMES, *presets.ALIASES))
        raise ChaosRefused(f"there is no chaos preset {value!r}; the presets are {known}") from None


def _profile(value: Mapping[str, Any]) -> Chaos:
    _refuse_unknown("a profile", value, _PROFILE_KEYS)
    start = _preset(_named(value.get("preset", "calm")))
    layers = _layers(value)
    faults = restrict({str(known): setting for known, setting in start.settings.items()}, layers)
    faults |= {
        name: _setting(name, given) for name, given in _object("faults", value.get("faults", {})).items()
    }
    limits = _limits(start.limits if start.profile else Limits(), _object("limits", value.get("limits", {})))
    profile = canonical(faults, limits)
    if profile == start.profile:
        return start
    chaos = Chaos(start.level, "custom", profile)
    if (cost := cost_bound(chaos)) > MOST_COST:
        raise ChaosRefused(
            f"these budgets may cost {cost} more steps, and no episode has room for more than {MOST_COST}; "
            "lower B, F or limits"
        )
    return chaos


def _layers(value: Mapping[str, Any]) -> list[Layer]:
    if "only" in value and "except" in value:
        raise ChaosRefused("a profile has `only` or `except`, not both")
    named = value.get("only", value.get("except", []))
    if not isinstance(named, list) or any(name not in list(Layer) for name in named):
        raise ChaosRefused(f"`only` and `except` are lists of layers: {', '.join(Layer)}")
    if "only" in value:
        return [Layer(name) for name in named]
    return [layer for layer in Layer if layer not in named]


def _setting(name: str, given: Any) -> Setting:
    if name not in list(FaultId):
        raise ChaosRefused(f"there is no fault {name!r}; the faults are {', '.join(FaultId)}")
    spec = CATALOG[FaultId(name)]
    given = _object(name, given)
    _refuse_unknown(f"fault {name!r}", given, _SETTING_KEYS)
    if "p" not in given:
        raise ChaosRefused(f"fault {name!r} needs a chance p, from 0 to 1")
    return Setting(
        p=_chance(f"{name}.p", given["p"]),
        B=_whole_number(f"{name}.B", given.get("B", 1), 1, spec.longest_burst),
        F=_whole_number(f"{name}.F", given.get("F", 1), 1, spec.most_incidents),
        match=_match(spec, _object(f"{name}.match", given.get("match", {}))),
        params=_params(spec, _object(f"{name}.params", given.get("params", {}))),
    )


def _match(spec: FaultSpec, given: Mapping[str, Any]) -> dict[str, Any]:
    known = _MATCH_KEYS[spec.layer]
    if given and not known:
        raise ChaosRefused(f"fault {spec.id.value!r} happens in the company, so it has no `match`")
    _refuse_unknown(f"{spec.id.value}.match", given, known)
    return {
        key: _steps(spec, value) if key == "steps" else _names(spec, key, value)
        for key, value in given.items()
    }


def _steps(spec: FaultSpec, value: Any) -> list[int]:
    first, last = _two_numbers(value)
    if not 1 <= first <= last:
        raise ChaosRefused(f"{spec.id.value}.match.steps is a first and a last step, like [3, 8]")
    return [first, last]


def _names(spec: FaultSpec, key: str, value: Any) -> list[str]:
    names = value if isinstance(value, list) else [value]
    valid = all(isinstance(name, str) and _NAME.fullmatch(name) for name in names)
    if not valid or not 1 <= len(names) <= _MOST_NAMES:
        raise ChaosRefused(f"{spec.id.value}.match.{key} is a name or a list of names")
    return sorted(set(names))


def _params(spec: FaultSpec, given: Mapping[str, Any]) -> dict[str, Any]:
    _refuse_unknown(f"{spec.id.value}.params", given, tuple(spec.parameters))
    return {
        name: _parameter(f"{spec.id.value}.params.{name}", parameter, given[name])
        if name in given
        else parameter.default
        for name, parameter in spec.parameters.items()
    }


def _parameter(where: str, parameter: Parameter, value: Any) -> Any:
    if not parameter.options:
        return _whole_number(where, value, parameter.low, parameter.high)
    options = ", ".join(str(option) for option in parameter.options)
    chosen = value if parameter.several else [value]
    found = [_option(one, parameter) for one in chosen] if isinstance(chosen, list) else []
    if not found or None in found:
        raise ChaosRefused(f"{where} is {'a list of some' if parameter.several else 'one'} of {options}")
    return [option for option in parameter.options if option in found] if parameter.several else found[0]


def _option(value: Any, parameter: Parameter) -> int | str | None:
    """Return the option that a value means; None for none."""
    return next(
        (
            option
            for option in parameter.options
            for meant in (value, whole(value))
            if type(meant) is type(option) and meant == option
        ),
        None,
    )


def _limits(start: Limits, given: Mapping[str, Any]) -> Limits:
    _refuse_unknown("limits", given, tuple(asdict(start)))
    bounds = {"service": (0, 20), "event": (0, 20), "stack": (1, 3), "cooldown": (0, 20)}
    changed: dict[str, Any] = {
        name: _whole_number(f"limits.{name}", given[name], *bounds[name]) for name in bounds if name in given
    }
    if "business" in given:
        changed["business"] = _range(given["business"])
    return replace(start, **changed)


def _range(value: Any) -> tuple[int, int]:
    fewest, most = _two_numbers(value)
    if not 0 <= fewest <= most <= len(BUSINESS):
        raise ChaosRefused("limits.business is the fewest and the most business faults, like [3, 4]")
    return fewest, most


def _two_numbers(value: Any) -> tuple[int, int]:
    """Return the two whole numbers that a list holds; anything else is no range, from 0 to -1."""
    numbers = [whole(each) for each in value] if isinstance(value, list) else []
    return (numbers[0], numbers[1]) if [type(each) for each in numbers] == [int, int] else (0, -1)


def _whole_number(where: str, value: Any, low: int, high: int) -> int:
    number = whole(value)
    if type(number) is not int or not low <= number <= high:
        raise ChaosRefused(f"{where} is a whole number from {low} to {high}")
    return number


def _chance(where: str, value: Any) -> float:
    number = decimal(value)
    if isinstance(number, bool) or not isinstance(number, int | float) or not 0 <= number <= 1:
        raise ChaosRefused(f"{where} is a number from 0 to 1")
    return float(number)


def _object(where: str, value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise ChaosRefused(f"{where} has to be a JSON object, not {value!r}")
    return value


def _refuse_unknown(where: str, given: Mapping[str, Any], known: tuple[str, ...]) -> None:
    if strange := sorted(str(key) for key in given if key not in known):
        raise ChaosRefused(f"{where} has no {strange[0]!r}; it has {', '.join(known) or 'nothing'}")
