"""Start a container of our image with OpenEnv's generic client, begin an episode, and print its scenario.

Usage: start_image.py IMAGE.
"""

import sys

from openenv.core import GenericEnvClient
from openenv.core.containers.runtime.providers import LocalDockerProvider

PATIENCE_S = 400.0


class PatientProvider(LocalDockerProvider):
    """OpenEnv's provider, on a machine that may do much else."""

    def wait_for_ready(self, base_url: str, timeout_s: float = PATIENCE_S) -> None:
        super().wait_for_ready(base_url, timeout_s)


with GenericEnvClient.from_docker_image(sys.argv[1], provider=PatientProvider()).sync() as env:
    result = env.reset(seed=0, scenario="vendor_onboarding")
    print(result.metadata["scenario"])
