"""Open pages through Gymnasium by the door of pictures: usage `gymnasium_pixels.py URL`."""

from __future__ import annotations

import json
import sys

import gymnasium
from gymnasium.utils.env_checker import check_env

import companyos.integrations.gymnasium


def main(url: str) -> None:
    env = gymnasium.make(
        companyos.integrations.gymnasium.ENVIRONMENT,
        base_url=url,
        scenario="license_renewal",
        chaos=0,
        door="screenshot",
    )
    check_env(env.unwrapped)
    seen = [env.reset(seed=7)[0], env.reset(seed=7)[0], env.step("goto('ticketdesk_list_tickets')")[0]]
    env.close()
    pictures = [each["screenshot"] for each in seen]
    print(
        json.dumps(
            {
                "fits": [each in env.observation_space for each in seen],
                "shape": list(pictures[0].shape),
                "again": bool((pictures[0] == pictures[1]).all()),
                "moved": bool((pictures[1] != pictures[2]).any()),
                "text": seen[2]["text"],
            }
        )
    )


if __name__ == "__main__":
    main(sys.argv[1])
