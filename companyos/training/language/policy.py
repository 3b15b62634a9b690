"""A policy that writes calls as text, token by token, with a causal language model."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import torch
from torch.nn.utils.rnn import pad_sequence

from ..config import LanguageSettings
from ..interface import Repeated
from ..rollouts import Rollout
from .conversation import text_of
from .model import LanguageModel
from .player import LanguageDecision, LanguagePlayer

_TOOL: Final = re.compile(r'"tool_name": "([^"]*)')


class LanguagePolicy:
    """Writes calls with a model of Hugging Face.

    Attributes:
        formats: The options of resets that make observations short.
        language: The model with its tokenizer.
    """

    formats: Mapping[str, str] = {"tools_format": "signatures", "observation_format": "compact"}

    def __init__(self, settings: LanguageSettings) -> None:
        self.at_once: int = settings.at_once
        self.language = LanguageModel(settings)

    @classmethod
    def restored(cls, parts: Mapping[str, Any]) -> "LanguagePolicy":
        """Return the policy of a checkpoint, which has the weights that were trained."""
        policy = cls(LanguageSettings.model_validate(json.loads(parts["language"])))
        policy.language.network.load_state_dict(parts["policy"], strict=False)
        return policy

    def parts(self) -> dict[str, Any]:
        """Return what `restored` needs."""
        trained = {name for name, each in self.language.network.named_parameters() if each.requires_grad}
        weights = {name: each for name, each in self.language.network.state_dict().items() if name in trained}
        return {"policy": weights, "language": self.language.settings.model_dump_json()}

    def parameters(self) -> Iterable[torch.nn.Parameter]:
        """Return the weights that are trained."""
        return [each for each in self.language.network.parameters() if each.requires_grad]

    def prepare(self, shown: Sequence[Rollout]) -> None:
        """Take nothing from demonstrations: the words are known."""

    def player(self, generator: torch.Generator | None = None) -> LanguagePlayer:
        """Return a player that acts greedily, or by chance if there is a generator."""
        return LanguagePlayer(self.language, generator)

    def decisions(
        self, episode: Rollout, actions: Mapping[int, Mapping[str, Any]]
    ) -> dict[int, LanguageDecision]:
        """Return the decisions for actions in the place of calls."""
        end = [self.language.tokenizer.eos_token_id]
        return {
            number: LanguageDecision(
                self.language.prompt_of(episode, number),
                [*self.language.tokenizer.encode(text_of(action), add_special_tokens=False), *end],
            )
            for number, action in actions.items()
        }

    def likelihood(self, decisions: Sequence[LanguageDecision]) -> torch.Tensor:
        """Return the log-probability of each token of the calls, (decisions, tokens)."""
        rows = []
        for each, scores in zip(decisions, self._scores(decisions), strict=True):
            chosen = torch.tensor(each.call, device=scores.device).unsqueeze(1)
            rows.append(scores.log_softmax(1).gather(1, chosen).squeeze(1))
        return pad_sequence(rows, batch_first=True).cpu()

    @torch.no_grad()
    def repeated(self, decisions: Sequence[LanguageDecision]) -> list[Repeated]:
        """Return whether the best token in each place, after the right ones, is the right one."""
        return [
            self._compare(each, scores.argmax(1).tolist())
            for each, scores in zip(decisions, self._scores(decisions), strict=True)
        ]

    def _compare(self, decision: LanguageDecision, best: Sequence[int]) -> Repeated:
        tool, right = (self._tool(tokens) for tokens in (best, decision.call))
        is_right_service = tool.partition("_")[0] == right.partition("_")[0]
        return Repeated(is_right_service, tool == right, list(best) == decision.call)

    def _tool(self, tokens: Sequence[int]) -> str:
        found = _TOOL.search(self.language.tokenizer.decode(tokens))
        return found[1] if found else ""

    def _scores(self, decisions: Sequence[LanguageDecision]) -> list[torch.Tensor]:
        """Return for each decision the scores of all tokens in each place of its call, (tokens, vocabulary)."""
        inputs = self.language.padded([[*each.prompt, *each.call] for each in decisions])
        places = (inputs["attention_mask"].cumsum(1) - 1).clamp(min=0)
        longest = max(map(len, decisions))
        with torch.autocast("cuda", torch.bfloat16, enabled=self.language.network.device.type == "cuda"):
            output = self.language.network(
                **inputs, position_ids=places, logits_to_keep=longest + 1, use_cache=False
            ).logits
        # The scores of a token stand in the place before it, and calls end where the rows do.
        return [row[-len(each) - 1 : -1].float() for each, row in zip(decisions, output, strict=True)]
