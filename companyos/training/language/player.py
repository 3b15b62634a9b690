"""Plays a language model: writes the next calls of several episodes at once, and remembers their tokens."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import torch

from companyos.client.model_output import action_of, raw_text

from ..optimization import in_parts
from ..rollouts import Rollout
from .model import LanguageModel

#: Seeds of the library's generator.
_SEEDS: Final = 2**31


@dataclass(frozen=True)
class LanguageDecision:
    """The tokens of a prompt and of the call that answers it, with the one that ends it; these are the choices."""

    prompt: list[int]
    call: list[int]

    def __len__(self) -> int:
        return len(self.call)


class LanguagePlayer:
    """Acts for many episodes with one policy.

    Attributes:
        decisions: The decisions of each episode so far, by the identity of the episode.
    """

    def __init__(self, language: LanguageModel, generator: torch.Generator | None) -> None:
        self._language = language
        self._generator = generator
        self.decisions: dict[int, list[LanguageDecision]] = {}

    def __call__(self, episodes: Sequence[Rollout]) -> list[Mapping[str, Any]]:
        """Return the next action of each episode; a text without a call is an invalid one."""
        return [
            action
            for part in in_parts(episodes, self._language.settings.at_once)
            for action in self._act(part)
        ]

    def _act(self, episodes: Sequence[Rollout]) -> list[Mapping[str, Any]]:
        tokenizer = self._language.tokenizer
        prompts = [self._language.prompt_of(each, len(each.turns)) for each in episodes]
        actions: list[Mapping[str, Any]] = []
        for episode, prompt, call in zip(episodes, prompts, self._write(prompts), strict=True):
            self.decisions.setdefault(id(episode), []).append(LanguageDecision(prompt, call))
            actions.append(_action(tokenizer.decode(call, skip_special_tokens=True)))
        return actions

    @torch.no_grad()
    def _write(self, prompts: Sequence[Sequence[int]]) -> list[list[int]]:
        """Return the tokens that the model writes after prompts, with the one that ends each."""
        inputs, end = self._language.padded(prompts), self._language.tokenizer.eos_token_id
        with torch.random.fork_rng():
            if self._generator is not None:
                torch.manual_seed(int(torch.randint(_SEEDS, (1,), generator=self._generator)))
            by_chance = {} if self._generator is None else {"do_sample": True, "top_k": 0}
            written = self._language.network.generate(**inputs, **by_chance)
        rows: list[list[int]] = written[:, inputs["input_ids"].shape[1] :].tolist()
        return [row[: row.index(end) + 1] if end in row else row for row in rows]


def _action(text: str) -> Mapping[str, Any]:
    """Return the call in a text; what is no call of a tool with arguments is an invalid action."""
    action = action_of(text)
    if isinstance(action.get("tool_name"), str) and isinstance(action.get("arguments"), Mapping):
        return {"type": "call_tool", "tool_name": action["tool_name"], "arguments": action["arguments"]}
    return {"type": "invalid", "raw": raw_text(text)}
