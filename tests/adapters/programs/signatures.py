"""What adapters rely on of their frameworks, as published: usage `signatures.py EXTRA` prints what is installed."""

import inspect
import json
import sys
from importlib import import_module
from typing import Any

_REACT = [
    "name",
    "description",
    "prompt",
    "tools",
    "model",
    "attempts",
    "submit",
    "on_continue",
    "retry_refusals",
]
_REACT += ["compaction", "truncation", "approval", "review"]
#: The names of the parameters, in order, by what is called or overridden.
PUBLISHED: dict[str, dict[str, list[str]]] = {
    "gymnasium": {
        "gymnasium:Env.reset": ["self", "seed", "options"],
        "gymnasium:Env.step": ["self", "action"],
        "gymnasium:Space.sample": ["self", "mask", "probability"],
        "gymnasium:Space.contains": ["self", "x"],
        "gymnasium.vector:VectorEnv.reset": ["self", "seed", "options"],
        "gymnasium.vector:VectorEnv.step": ["self", "actions"],
        "gymnasium.vector:VectorEnv.close_extras": ["self"],
        "gymnasium.vector:VectorEnv._add_info": ["self", "vector_infos", "env_info", "env_num"],
    },
    "openenv": {
        "openenv.core.harness:ResourceSession.initial_messages": ["self"],
        "openenv.core.harness:ResourceSession.list_tools": ["self"],
        "openenv.core.harness:ResourceSession.call_tool": ["self", "name", "arguments"],
        "openenv.core.harness:ResourceSession.verify": ["self", "transcript", "final_state"],
        "openenv.core.harness:ResourceSession.close": ["self"],
        "openenv.core.harness:ResourceSessionFactory.create": ["self", "task", "seed", "episode_id"],
        "openenv.core.harness:ToolResult": ["data", "done", "metadata", "error"],
        "openenv.core.harness:VerifyResult": ["env_reward", "done", "metrics", "artifacts"],
    },
    "skyrl": {
        "skyrl_gym.envs.base_text_env:BaseTextEnv.init": ["self", "prompt"],
        "skyrl_gym.envs.base_text_env:BaseTextEnv.step": ["self", "action"],
        "skyrl_gym.envs.base_text_env:BaseTextEnv.get_metrics": ["self"],
        "skyrl_gym.envs.base_text_env:BaseTextEnv.close": ["self"],
    },
    "inspect": {
        "inspect_ai.agent:as_solver": ["agent", "limits", "agent_kwargs"],
        "inspect_ai.agent:react": _REACT,
    },
    "ray": {
        "ray.tune.registry:register_env": ["name", "env_creator"],
        "ray.rllib.connectors.connector_v2:ConnectorV2": [
            "input_observation_space",
            "input_action_space",
            "kwargs",
        ],
        "ray.rllib.connectors.connector_v2:ConnectorV2.__call__": [
            "self",
            "rl_module",
            "batch",
            "episodes",
            "explore",
            "shared_data",
            "metrics",
            "kwargs",
        ],
        "ray.rllib.connectors.connector_v2:ConnectorV2.add_batch_item": [
            "batch",
            "column",
            "item_to_add",
            "single_agent_episode",
        ],
        "ray.rllib.core.rl_module.rl_module:RLModule._forward": ["self", "batch", "kwargs"],
    },
    "verifiers": {
        "verifiers.v1:Taskset.load": ["self"],
        "verifiers.v1:Task.setup": ["self", "trace", "runtime"],
        "verifiers.v1:Toolset.register": ["self", "mcp"],
        "verifiers.v1:Toolset._with_state": ["self", "fn"],
    },
}


def parameters(reference: str) -> list[str]:
    """Return the names of the parameters of `module:name`."""
    module, _, name = reference.partition(":")
    found: Any = import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    return list(inspect.signature(found).parameters)


if __name__ == "__main__":
    print(json.dumps({reference: parameters(reference) for reference in PUBLISHED[sys.argv[1]]}))
