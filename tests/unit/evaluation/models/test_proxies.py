"""Proxies of the environment: an endpoint on this machine is asked without one, and others by it."""

import pytest

from companyos.evaluation.models import (
    AgentUnusable,
    AnthropicSettings,
    OpenAISettings,
    anthropic_agent,
    openai_agent,
)
from tests.scripted_endpoint import Endpoint, anthropic_message, completion, function_call

from .conftest import Make, Play

NOBODY = "http://127.0.0.1:9"
FAR = "http://far.example/v1"
FINISH = {"type": "tool_use", "id": "a", "name": "finish", "input": {}}
SECRET = "pass"


@pytest.fixture(autouse=True)
def _no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


@pytest.mark.parametrize(
    ("variable", "proxy"), [("HTTP_PROXY", NOBODY), ("ALL_PROXY", "socks5://127.0.0.1:9")]
)
async def test_endpoint_on_this_machine_is_asked_without_a_proxy(
    endpoint: Endpoint,
    openai: Make,
    anthropic: Make,
    play: Play,
    monkeypatch: pytest.MonkeyPatch,
    variable: str,
    proxy: str,
) -> None:
    monkeypatch.setenv(variable, proxy)
    endpoint.will_answer(completion("", function_call("finish")), anthropic_message(FINISH))

    await play(openai())
    await play(anthropic())

    assert endpoint.paths == ["/v1/chat/completions", "/v1/messages"]


async def test_endpoint_elsewhere_is_asked_by_the_proxy(
    endpoint: Endpoint, openai: Make, play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", endpoint.url)
    endpoint.will_answer(completion("", function_call("finish")))

    await play(openai(base_url=FAR))

    assert endpoint.headers[0]["host"] == "far.example"


@pytest.mark.parametrize(
    "proxy", [f"socks5://user:{SECRET}@127.0.0.1:9", f"gopher://user:{SECRET}@127.0.0.1:9"]
)
@pytest.mark.parametrize("url", [None, FAR])
def test_a_proxy_that_no_library_can_use_is_named_by_its_variable(
    monkeypatch: pytest.MonkeyPatch, proxy: str, url: str | None
) -> None:
    monkeypatch.setenv("ALL_PROXY", proxy)
    monkeypatch.setenv("OPENAI_API_KEY", "key")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "key")

    for make in (
        lambda: openai_agent(OpenAISettings(model="m", base_url=url)),
        lambda: anthropic_agent(AnthropicSettings(model="m", base_url=url)),
    ):
        with pytest.raises(AgentUnusable, match="proxy in ALL_PROXY") as refused:
            make()
        assert SECRET not in str(refused.value)


def test_a_proxy_that_is_not_asked_is_not_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "socks5://127.0.0.1:9")
    monkeypatch.setenv("HTTP_PROXY", NOBODY)

    assert openai_agent(OpenAISettings(model="m", base_url=FAR))


def test_an_unusable_proxy_is_not_needed_where_no_proxy_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "socks5://127.0.0.1:9")
    monkeypatch.setenv("NO_PROXY", "far.example")

    assert openai_agent(OpenAISettings(model="m", base_url=FAR))
