"""Find our environment with OpenEnv's AutoEnv and begin an episode with the client it brings.

Usage: discover.py URL.
"""

import sys

from openenv import AutoEnv

env = AutoEnv.from_env("companyos", base_url=sys.argv[1])
with env:
    result = env.reset(seed=1)
found = sys.modules["companyos.client"].CompanyosEnv is type(env)
print(found, type(env).__name__, result.observation["step"])
