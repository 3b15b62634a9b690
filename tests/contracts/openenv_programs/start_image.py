"""Start a container of our image with OpenEnv's generic client, begin an episode, and print its scenario.

Usage: start_image.py IMAGE.
"""

import sys

from openenv.core import GenericEnvClient

with GenericEnvClient.from_docker_image(sys.argv[1]).sync() as env:
    result = env.reset(seed=0, scenario="vendor_onboarding")
    print(result.metadata["scenario"])
