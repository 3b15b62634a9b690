"""Checks that all scenarios can be loaded before a stack starts."""

from companyos.sdk.scenario import ScenariosUnusable, load_scenarios

from .errors import StackError


def require_scenarios() -> None:
    """Load the scenarios.

    Raises:
        StackError: Some scenarios cannot be used; the message names their places and the reasons.
    """
    try:
        load_scenarios()
    except ScenariosUnusable as unusable:
        raise StackError(str(unusable)) from unusable
