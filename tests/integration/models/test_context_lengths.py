"""Whole episodes of the shorter families fit the contexts of small models, counted with a small model's tokenizer."""

from collections.abc import Iterator

import pytest

from companyos.client import CompanyosEnv

from .context_lengths import episode_tokens
from .smollm2 import tokens_of, tokens_of_message

#: The seed of the longest episode of each family among the first eight, by the context that it fits.
LONGEST = {
    4096: {"vendor_onboarding": 7, "expense_report": 0, "handbook_update": 4},
    8192: {
        "bug_escalation": 0,
        "license_renewal": 4,
        "erasure_request": 3,
        "offboarding": 2,
    },
}


@pytest.fixture(scope="module")
def env(stack_url: str) -> Iterator[CompanyosEnv]:
    with CompanyosEnv(stack_url) as player:
        yield player


@pytest.mark.parametrize(
    ("context", "scenario", "seed"),
    [(context, *one) for context, families in LONGEST.items() for one in families.items()],
)
def test_the_longest_episode_of_a_family_fits_in_compact_forms(
    env: CompanyosEnv, context: int, scenario: str, seed: int
) -> None:
    assert episode_tokens(env, scenario, seed) <= context


def test_tokens_are_counted_as_the_models_tokenizer_counts_them() -> None:
    assert tokens_of("naïve ½ cup² — “quotes” …\n\n  two\t tabs  ") == 17
    assert tokens_of("don't  you'll 12 ab12 34") == 14
    assert tokens_of("due_at: 2030-03-04T09:00Z") == 22
    assert tokens_of_message("user", "Hello there") == 7
