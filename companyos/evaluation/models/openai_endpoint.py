"""A model behind the chat completions of an OpenAI-compatible endpoint."""

from typing import Final

from .endpoint import ChatEndpoint, Prompt, RequestBody
from .formats.openai_format import messages_of, reply_of, usage_of
from .library_endpoint import ChatProtocol, LibraryEndpoint
from .pauses import WaitNews
from .proxies import client_for
from .request_rules import RequestRules
from .settings import AgentUnusable, OpenAISettings

_VENDOR: Final = "https://api.openai.com/v1"


def openai_endpoint(settings: OpenAISettings, rules: RequestRules, news: WaitNews) -> ChatEndpoint:
    """Return the endpoint, to which requests go under these rules, and whose waits are told.

    Raises:
        AgentUnusable: The library `openai` is not installed, there is no key, or the proxy cannot be used.
    """
    try:
        import openai
    except ImportError as missing:
        raise AgentUnusable(
            "OpenAI-compatible endpoints need an extra: pip install 'openenv-companyos[openai]'"
        ) from missing
    client = openai.AsyncOpenAI(
        api_key=settings.api_key(),
        base_url=settings.base_url,
        timeout=settings.timeout_s,
        http_client=client_for(settings.base_url or _VENDOR),
        # The library waits without a limit and without a word, so that repeating is up to `LibraryEndpoint`.
        max_retries=0,
    )
    protocol = ChatProtocol("/chat/completions", lambda prompt: _body(prompt, settings), reply_of, usage_of)
    return LibraryEndpoint(settings, client, openai.OpenAIError, protocol, rules, news)


def _body(prompt: Prompt, settings: OpenAISettings) -> RequestBody:
    # OpenAI's own endpoint refuses `max_tokens` for its newer models; others may know nothing else, and ignore
    # what they do not know. One that refuses it is asked again with the other name.
    limit = "max_completion_tokens" if settings.base_url is None else "max_tokens"
    optional = {"temperature": settings.temperature, "seed": settings.seed, limit: settings.max_tokens}
    return {
        "model": settings.model,
        "messages": messages_of(prompt),
        **({"tools": list(prompt.tools), "tool_choice": "auto"} if prompt.tools else {}),
        **{name: value for name, value in optional.items() if value is not None},
        **settings.extra_body,
    }
