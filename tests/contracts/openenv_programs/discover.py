"""Find our environment with OpenEnv's AutoEnv and begin an episode with the client it brings.

Usage: discover.py URL, or discover.py --image IMAGE, of which AutoEnv then starts a container.
"""

import sys

from openenv import AutoEnv

image = {"docker_image": sys.argv[2], "wait_timeout": 400.0} if sys.argv[1] == "--image" else {}
env = AutoEnv.from_env("companyos", **(image or {"base_url": sys.argv[1]}))
with env:
    result = env.reset(seed=1)
found = sys.modules["companyos.client"].CompanyosEnv is type(env)
print(found, type(env).__name__, result.observation["step"])
