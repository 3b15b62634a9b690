"""The settings of a model: its endpoint, tool mode, sampling and limits."""

import os
from collections.abc import Mapping
from enum import StrEnum
from typing import Any, ClassVar, Final, Self
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from companyos.sdk.addresses import address_flaw

from .prompts import SYSTEM_PROMPT

#: The client libraries require a key; an endpoint that checks none accepts any.
_NO_KEY: Final = "none"


class AgentUnusable(ValueError):
    """The agent cannot be created. The message names the missing key or library, or the wrong setting."""


class ToolMode(StrEnum):
    """How a model calls tools."""

    NATIVE = "native"
    JSON = "json"


class Prices(BaseModel):
    """US dollars per million tokens.

    Attributes:
        prompt: Tokens sent.
        completion: Tokens received.
        cached: Tokens sent that the endpoint had cached; `prompt` if not given.
        cache_write: Tokens sent that the endpoint added to its cache; `prompt` if not given.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    prompt: float = Field(ge=0)
    completion: float = Field(ge=0)
    cached: float | None = Field(default=None, ge=0)
    cache_write: float | None = Field(default=None, ge=0)

    def cost_usd(self, *, prompt: int, completion: int, cached: int = 0, cache_write: int = 0) -> float:
        """Return the price of a request; `prompt` includes `cached` and `cache_write`."""
        cached_price = self.prompt if self.cached is None else self.cached
        write_price = self.prompt if self.cache_write is None else self.cache_write
        plain = prompt - cached - cache_write
        total = plain * self.prompt + cached * cached_price + cache_write * write_price
        return (total + completion * self.completion) / 1e6


class ModelSettings(BaseModel):
    """Everything that determines how a model plays. Contains no secret, so a run may record it.

    Attributes:
        model: The model's name at its endpoint.
        base_url: URL of the endpoint; None for the vendor's own.
        api_key_variable: The environment variable that holds the key.
        tool_mode: `native` sends the tools with each request, `json` describes them in the system prompt and reads
            calls from the text.
        system_prompt: The instructions before the task. In `json` mode the tools follow.
        temperature: Sampling temperature; None for the endpoint's default.
        seed: Seed of sampling, for endpoints that take one.
        max_tokens: Most tokens of one answer; None for the endpoint's limit.
        context_tokens: Most tokens of a prompt and its answer together. The oldest tool results are left out
            to stay within it. None for the model's own limit, which is found when the endpoint refuses a
            prompt.
        timeout_s: Longest wait for one answer, in seconds.
        max_retries: How often a request is repeated after a rate limit, a timeout or an outage.
        max_wait_s: Longest time between the repeats of one request together, in seconds. An endpoint that asks for
            more has no answer.
        prices: What tokens cost; None if unknown.
        extra_body: Other fields of each request, such as `{"reasoning_effort": "low"}`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", protected_namespaces=())
    url_variable: ClassVar[str]

    model: str = Field(min_length=1)
    base_url: str | None = None
    api_key_variable: str
    tool_mode: ToolMode = ToolMode.NATIVE
    system_prompt: str = SYSTEM_PROMPT
    temperature: float | None = Field(default=None, ge=0, le=2)
    seed: int | None = None
    max_tokens: int | None = Field(default=None, ge=1)
    context_tokens: int | None = Field(default=None, ge=256)
    timeout_s: float = Field(default=300.0, gt=0)
    max_retries: int = Field(default=5, ge=0, le=20)
    max_wait_s: float = Field(default=300.0, ge=0, allow_inf_nan=False)
    prices: Prices | None = None
    extra_body: Mapping[str, Any] = Field(default_factory=dict)

    @model_validator(mode="before")
    @classmethod
    def _take_the_url_from_the_environment(cls, given: Any) -> Any:
        url = os.environ.get(cls.url_variable)
        return (
            {**given, "base_url": url}
            if url and isinstance(given, dict) and not given.get("base_url")
            else given
        )

    @field_validator("base_url")
    @classmethod
    def _is_the_url_of_an_endpoint(cls, url: str | None) -> str | None:
        if url is None:
            return None
        url = _without_marks(url)
        if flaw := address_flaw(url):
            raise ValueError(f"give a URL such as http://127.0.0.1:8000/v1; this one {flaw}")
        if "@" in urlsplit(url).netloc:
            raise ValueError("give the URL without credentials; the key comes from the environment")
        return url

    @model_validator(mode="after")
    def _leaves_room_for_a_prompt(self) -> Self:
        if self.context_tokens and self.max_tokens and self.max_tokens >= self.context_tokens:
            raise ValueError("max_tokens must be smaller than context_tokens, which includes the prompt")
        return self

    @property
    def prompt_tokens(self) -> int | None:
        """Most tokens of a prompt; None if the endpoint decides."""
        if self.context_tokens is None:
            return None
        return self.context_tokens - (self.max_tokens or self.context_tokens // 4)

    def api_key(self) -> str:
        """Return the key from the environment; only a vendor's endpoint requires one.

        Raises:
            AgentUnusable: The vendor's endpoint requires a key and there is none, or no header can hold the key.
        """
        if key := environment_text(self.api_key_variable):
            if key.isascii() and key.isprintable():
                return key
            raise AgentUnusable(
                f"{self.api_key_variable} has characters that no key has, such as a line's end within it."
            )
        if self.base_url is None:
            raise AgentUnusable(
                f"Set {self.api_key_variable} to your key, or name an endpoint that needs none (base_url)."
            )
        return _NO_KEY


class OpenAISettings(ModelSettings):
    """Settings of a model at an OpenAI-compatible endpoint."""

    url_variable: ClassVar[str] = "OPENAI_BASE_URL"
    api_key_variable: str = "OPENAI_API_KEY"


class AnthropicSettings(ModelSettings):
    """Settings of a model at Anthropic's endpoint, or at one that speaks its protocol."""

    url_variable: ClassVar[str] = "ANTHROPIC_BASE_URL"
    api_key_variable: str = "ANTHROPIC_API_KEY"

    @field_validator("seed")
    @classmethod
    def _takes_no_seed(cls, seed: int | None) -> int | None:
        if seed is not None:
            raise ValueError("this endpoint takes no seed")
        return seed


_SETTINGS: Final[Mapping[str, type[ModelSettings]]] = {
    "openai": OpenAISettings,
    "anthropic": AnthropicSettings,
}


def environment_text(variable: str) -> str:
    """Return what a variable says, or nothing; many are read from files, with a line's end or a byte-order mark."""
    return _without_marks(os.environ.get(variable, ""))


def _without_marks(text: str) -> str:
    return text.strip().removeprefix("\ufeff").strip()


def model_settings(kind: str, given: Mapping[str, Any]) -> ModelSettings:
    """Return the settings of an `openai` or `anthropic` agent; what is None in `given` keeps its default.

    Raises:
        AgentUnusable: A setting is unknown, missing or out of range.
    """
    try:
        return _SETTINGS[kind](**{name: value for name, value in given.items() if value is not None})
    except ValidationError as wrong:
        flaws = (f"{'.'.join(map(str, flaw['loc'])) or 'settings'}: {flaw['msg']}" for flaw in wrong.errors())
        raise AgentUnusable("; ".join(flaws)) from None
