"""The integers of requests, which may be written as whole floats or as text."""

from __future__ import annotations

from typing import Final

from pydantic import BeforeValidator

from companyos.sdk.plain_numbers import whole

#: Goes last among the annotations of an integer, so that its bounds stay in the schema.
WHOLE: Final = BeforeValidator(whole)
