"""A model behind Anthropic's messages."""

from typing import Final

from .anthropic_format import messages_of, reply_of, tools_of
from .endpoint import Prompt, Reply, Request
from .failures import failure_of, unreadable
from .settings import AgentUnusable, AnthropicSettings

_PATH: Final = "/v1/messages"
#: This endpoint has no default.
_MOST_TOKENS: Final = 8192


class AnthropicEndpoint:
    """Sends prompts with the `anthropic` library, which repeats what rate limits and outages refuse.

    Raises:
        AgentUnusable: The library is not installed, or there is no key.
    """

    def __init__(self, settings: AnthropicSettings) -> None:
        try:
            import anthropic
        except ImportError as missing:
            raise AgentUnusable(
                "Anthropic's models need an extra: pip install 'openenv-companyos[anthropic]'"
            ) from missing
        self._settings = settings
        self._errors = anthropic.AnthropicError
        self._client = anthropic.AsyncAnthropic(
            api_key=settings.api_key(),
            base_url=settings.base_url,
            timeout=settings.timeout_s,
            max_retries=settings.max_retries,
        )

    def request(self, prompt: Prompt) -> Request:
        """Return the body of the request for a prompt; the endpoint caches what the next prompt repeats."""
        settings = self._settings
        return {
            "model": settings.model,
            "max_tokens": settings.max_tokens or _MOST_TOKENS,
            "system": prompt.system_prompt,
            "messages": messages_of(prompt),
            "cache_control": {"type": "ephemeral"},
            **({"tools": tools_of(prompt.tools)} if prompt.tools else {}),
            **({} if settings.temperature is None else {"temperature": settings.temperature}),
            **settings.extra_body,
        }

    async def send(self, request: Request) -> Reply:
        """Return the model's answer."""
        try:
            answer = await self._client.post(_PATH, body=request, cast_to=object)
        except (self._errors, ValueError) as error:
            raise failure_of(error, self._settings) from error
        reply = reply_of(answer, self._settings.prices)
        if reply is None:
            raise unreadable(answer, self._settings)
        return reply

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()
