"""Gymnasium: pictures of pages as arrays, and the space of the observations that have them."""

from __future__ import annotations

import base64
import io
from collections.abc import Mapping
from typing import Any

import gymnasium as gym
import numpy as np

from companyos.client.pages.chromium import HEIGHT, WIDTH

from .text_space import TextSpace


def observation_space(*, has_pictures: bool) -> gym.Space[Any]:
    """Return the space of an observation: text, or a text and a picture."""
    if not has_pictures:
        return TextSpace()
    picture = gym.spaces.Box(0, 255, (HEIGHT, WIDTH, 3), np.uint8)
    return gym.spaces.Dict({"text": TextSpace(), "screenshot": picture})


def rgb_of(screen: Mapping[str, Any]) -> Any:
    """Return a picture as an array of bytes: its rows from above, their pixels, and red, green and blue of each."""
    from PIL import Image

    with Image.open(io.BytesIO(base64.b64decode(screen["data"]))) as picture:
        return np.asarray(picture.convert("RGB"))
