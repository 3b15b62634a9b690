"""A model behind Anthropic's Messages API."""

from typing import Final

from .endpoint import ChatEndpoint, Prompt, RequestBody
from .formats.anthropic_format import messages_of, reply_of, tools_of, usage_of
from .library_endpoint import ChatProtocol, LibraryEndpoint
from .pauses import WaitNews
from .proxies import client_for
from .request_rules import RequestRules
from .settings import AgentUnusable, AnthropicSettings

_VENDOR: Final = "https://api.anthropic.com"
#: This endpoint has no default.
_MOST_TOKENS: Final = 8192


def anthropic_endpoint(settings: AnthropicSettings, rules: RequestRules, news: WaitNews) -> ChatEndpoint:
    """Return the endpoint, to which requests go under these rules, and whose waits are told.

    Raises:
        AgentUnusable: The library `anthropic` is not installed, there is no key, or the proxy cannot be used.
    """
    try:
        import anthropic
    except ImportError as missing:
        raise AgentUnusable(
            "Anthropic's models need an extra: pip install 'openenv-companyos[anthropic]'"
        ) from missing
    client = anthropic.AsyncAnthropic(
        api_key=settings.api_key(),
        base_url=settings.base_url,
        timeout=settings.timeout_s,
        http_client=client_for(settings.base_url or _VENDOR),
        # The library waits without a limit and without a word, so that repeating is up to `LibraryEndpoint`.
        max_retries=0,
    )
    protocol = ChatProtocol("/v1/messages", lambda prompt: _body(prompt, settings), reply_of, usage_of)
    return LibraryEndpoint(settings, client, anthropic.AnthropicError, protocol, rules, news)


def _body(prompt: Prompt, settings: AnthropicSettings) -> RequestBody:
    return {
        "model": settings.model,
        "max_tokens": settings.max_tokens or _MOST_TOKENS,
        "system": prompt.system_prompt,
        "messages": messages_of(prompt),
        # The endpoint caches the conversation so far, which the next request repeats.
        "cache_control": {"type": "ephemeral"},
        **({"tools": tools_of(prompt.tools)} if prompt.tools else {}),
        **({} if settings.temperature is None else {"temperature": settings.temperature}),
        **settings.extra_body,
    }
