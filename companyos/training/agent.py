"""Plays with a trained policy wherever agents play, on a leaderboard too.

COMPANYOS_POLICY=runs/clone companyos run --agent python --target companyos.training.agent:TrainedPolicy
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from companyos.sdk.scenario import Observation

from .policies import restored_policy
from .rollouts import Rollout, RolloutTurn
from .run_folder import RunFolder

#: The variable that names the folder of the policy's training.
SETTING: Final = "COMPANYOS_POLICY"


class TrainedPolicy:
    """Acts greedily in one episode.

    Raises:
        FileNotFoundError: `COMPANYOS_POLICY` names no folder of a training that saved a policy.
    """

    def __init__(self) -> None:
        folder = Path(os.environ.get(SETTING, ""))
        parts = RunFolder(folder).load() if (folder / "metrics.jsonl").exists() else None
        if parts is None:
            raise FileNotFoundError(f"{SETTING} is {str(folder)!r}, where `companyos train` saved no policy")
        self._player = restored_policy(parts).player()

    def start(self, observation: Observation) -> None:
        """Begin an episode."""
        self._episode = Rollout({}, 0, observation)
        self._action: Mapping[str, Any] | None = None

    def act(self, observation: Observation) -> Mapping[str, Any]:
        """Return the next call, after what was seen of the last one."""
        if self._action is not None:
            self._episode.turns.append(RolloutTurn(self._action, observation, 0.0, ""))
        [action] = self._player([self._episode])
        self._action = action
        return action
