"""The public salt, from which companies are drawn unless another is set, and the digests by which runs name salts."""

from hashlib import blake2b
from typing import Final

DEFAULT_SALT: Final = "companyos-public"


def salt_digest(salt: str) -> str:
    """Return the digest of a salt by which `run.json` tells runs on the same companies."""
    return blake2b(salt.encode(), digest_size=8, person=b"companyos-salt").hexdigest()
