"""Start a project with OpenEnv's UVProvider, as its clients do without Docker, and print what one step came to.

Usage: uv_project.py PROJECT.
"""

import json
import sys

from openenv.core import GenericEnvClient

#: For machines that do much else, or that have yet to download the dependencies.
PATIENCE_S = 400.0
PROJECT = {"project_path": sys.argv[1], "context_timeout_s": PATIENCE_S}

with GenericEnvClient.from_env("any/space", use_docker=False, **PROJECT).sync() as env:
    reset = env.reset(seed=0, scenario="vendor_onboarding")
    step = env.step({"tool_name": "ticketdesk_list_tickets", "arguments": {}})
    print(json.dumps({"scenario": reset.metadata["scenario"], "error": step.observation["error"]}))
