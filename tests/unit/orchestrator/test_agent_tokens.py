"""Tokens of agents: those of repeated resets are secrets as well."""

from orchestrator.protocol.agent_tokens import is_agent_token, repeatable_agent_token


def test_the_token_of_a_repeated_reset_cannot_be_computed_without_the_stacks_secret() -> None:
    token, again, elsewhere = (
        repeatable_agent_token("", "run", "of-the-first-caller", secret) for secret in ("one", "one", "other")
    )

    assert token == again
    assert token != elsewhere
    assert is_agent_token(token)
