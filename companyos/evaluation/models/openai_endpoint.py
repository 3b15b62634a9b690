"""A model behind the chat completions of an OpenAI-compatible endpoint."""

from typing import Final

from .endpoint import Prompt, Reply, Request
from .failures import failure_of, unreadable
from .openai_format import messages_of, reply_of
from .settings import AgentUnusable, OpenAISettings

_PATH: Final = "/chat/completions"


class OpenAIEndpoint:
    """Sends prompts with the `openai` library, which repeats what rate limits and outages refuse.

    Raises:
        AgentUnusable: The library is not installed, or there is no key.
    """

    def __init__(self, settings: OpenAISettings) -> None:
        try:
            import openai
        except ImportError as missing:
            raise AgentUnusable(
                "OpenAI-compatible endpoints need an extra: pip install 'openenv-companyos[openai]'"
            ) from missing
        self._settings = settings
        self._errors = openai.OpenAIError
        self._client = openai.AsyncOpenAI(
            api_key=settings.api_key(),
            base_url=settings.base_url,
            timeout=settings.timeout_s,
            max_retries=settings.max_retries,
        )

    def request(self, prompt: Prompt) -> Request:
        """Return the body of the request for a prompt."""
        settings = self._settings
        # OpenAI's own endpoint refuses `max_tokens` for its newer models; others may know nothing else.
        limit = "max_completion_tokens" if settings.base_url is None else "max_tokens"
        optional = {"temperature": settings.temperature, "seed": settings.seed, limit: settings.max_tokens}
        return {
            "model": settings.model,
            "messages": messages_of(prompt),
            **({"tools": list(prompt.tools), "tool_choice": "auto"} if prompt.tools else {}),
            **{name: value for name, value in optional.items() if value is not None},
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
