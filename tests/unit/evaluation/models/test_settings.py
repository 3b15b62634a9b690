"""The settings of a model: what they refuse, what they take from the environment, and that they hold no secret."""

import json
import sys

import pytest
from pydantic import ValidationError

from companyos.evaluation.models import (
    AgentUnusable,
    AnthropicSettings,
    OpenAISettings,
    Prices,
    anthropic_agent,
    model_settings,
    openai_agent,
)

URL = "http://127.0.0.1:9/v1"


@pytest.fixture(autouse=True)
def _no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for vendor in ("OPENAI", "ANTHROPIC"):
        for name in ("API_KEY", "BASE_URL"):
            monkeypatch.delenv(f"{vendor}_{name}", raising=False)


def test_settings_can_be_recorded_and_read_again_and_hold_no_key(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-key")
    settings = OpenAISettings(model="m", base_url=URL, prices={"prompt": 1, "completion": 2}, seed=7)

    recorded = json.dumps(settings.model_dump(mode="json"))

    assert "sk-secret-key" not in recorded
    assert OpenAISettings(**json.loads(recorded)) == settings


def test_the_url_comes_from_the_environment_unless_it_is_given(monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", "http://elsewhere:1/v1")

    assert OpenAISettings(model="m").base_url == "http://elsewhere:1/v1"
    assert OpenAISettings(model="m", base_url=URL).base_url == URL
    assert AnthropicSettings(model="m").base_url is None


@pytest.mark.parametrize(
    "url",
    [
        "http://ho\nst/v1",
        "http://host/v 1",
        "localhost:8000",
        "ftp://host/v1",
        "http://",
        "http://[",
        "http://127.0.0.1:99999",
        "http://127.0.0.1:0/v1",
        "http://host:port",
        "http://user:pass@host/v1",
        f"{URL}?key=x",
    ],
)
def test_a_url_that_is_none_or_carries_a_secret_is_refused(url):
    with pytest.raises(ValidationError, match=r"give (a|the) URL"):
        OpenAISettings(model="m", base_url=url)


@pytest.mark.parametrize(
    "wrong",
    [
        {"model": ""},
        {"temperature": 3},
        {"max_tokens": 0},
        {"timeout_s": 0},
        {"tool_mode": "xml"},
        {"modle": "m"},
        {"context_tokens": 1000, "max_tokens": 1000},
        {"prices": {"prompt": -1, "completion": 0}},
    ],
)
def test_a_setting_that_cannot_be_used_is_refused(wrong):
    with pytest.raises(ValidationError):
        OpenAISettings(**{"model": "m", **wrong})


def test_a_seed_is_refused_where_the_endpoint_takes_none():
    with pytest.raises(ValidationError, match="takes no seed"):
        AnthropicSettings(model="m", seed=7)


def test_the_prompt_leaves_room_for_the_answer():
    assert OpenAISettings(model="m", context_tokens=8192, max_tokens=192).prompt_tokens == 8000
    assert OpenAISettings(model="m", context_tokens=8000).prompt_tokens == 6000
    assert OpenAISettings(model="m", max_tokens=192).prompt_tokens is None


def test_a_vendors_endpoint_needs_a_key_and_an_endpoint_of_ones_own_does_not():
    with pytest.raises(AgentUnusable, match="Set OPENAI_API_KEY"):
        openai_agent(OpenAISettings(model="m"))
    with pytest.raises(AgentUnusable, match="Set ANTHROPIC_API_KEY"):
        anthropic_agent(AnthropicSettings(model="m"))
    assert openai_agent(OpenAISettings(model="m", base_url=URL))


@pytest.mark.parametrize(
    ("library", "make"),
    [
        ("openai", lambda: openai_agent(OpenAISettings(model="m", base_url=URL))),
        ("anthropic", lambda: anthropic_agent(AnthropicSettings(model="m", base_url=URL))),
    ],
)
def test_a_missing_library_is_told_with_the_extra_that_brings_it(library, make, monkeypatch):
    monkeypatch.setitem(sys.modules, library, None)

    with pytest.raises(AgentUnusable, match=rf"openenv-companyos\[{library}\]"):
        make()


@pytest.mark.parametrize("read", ["{}\n", "{}\r\n", "\ufeff{}", " \ufeff{} \n"])
def test_key_and_url_are_read_without_what_files_have_around_them(read, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", read.format("sk-key"))
    monkeypatch.setenv("OPENAI_BASE_URL", read.format(URL))

    settings = OpenAISettings(model="m")

    assert (settings.api_key(), settings.base_url) == ("sk-key", URL)
    assert OpenAISettings(model="m", base_url=read.format(URL)).base_url == URL


@pytest.mark.parametrize("blank", ["", "\n", "\ufeff"])
def test_a_blank_key_is_none(blank, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", blank)

    with pytest.raises(AgentUnusable, match="Set OPENAI_API_KEY"):
        OpenAISettings(model="m").api_key()


@pytest.mark.parametrize(
    "key", ["sk-secret\nsk-second", "sk-secret\tkey", "sk-secret\u00a0", "sk-secrét", "\x00sk-secret"]
)
def test_a_key_that_no_header_can_hold_is_refused_and_not_shown(key, monkeypatch):
    monkeypatch.setattr("os.environ", {"OPENAI_API_KEY": f"a{key}z"})

    with pytest.raises(AgentUnusable, match="OPENAI_API_KEY has characters") as refused:
        openai_agent(OpenAISettings(model="m"))

    assert "secr" not in str(refused.value)


def test_without_prices_of_their_own_cached_tokens_cost_what_others_cost():
    assert Prices(prompt=10, completion=0).cost_usd(
        prompt=1_000_000, completion=0, cached=999
    ) == pytest.approx(10)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({}, "model: Field required"),
        ({"model": "m", "temperature": 9}, "temperature: Input should be less than or equal to 2"),
        ({"model": "m", "base_url": "localhost"}, "base_url: Value error, give a URL such as"),
        ({"model": "m", "max_tokens": 300, "context_tokens": 300}, "max_tokens must be smaller"),
    ],
)
def test_options_that_cannot_be_used_are_told_by_name(given, told):
    with pytest.raises(AgentUnusable, match=told):
        model_settings("anthropic", given)
