"""Write the bill of materials of the image: every locked dependency, as CycloneDX JSON.

Usage: python deploy/make_sbom.py < requirements.lock > sbom.cdx.json

The same lock file gives the same bytes: the document holds no time, and its serial number is derived from its content.
"""

import json
import re
import sys
from importlib.metadata import version
from typing import Any
from uuid import NAMESPACE_URL, uuid5

OURS = "openenv-companyos"
PINNED = re.compile(r"(?m)^(?P<name>[\w.-]+)==(?P<version>[^\s;]+)(?: *; (?P<marker>[^\\\n]+?))? *\\?$")
HASH = re.compile(r"--hash=sha256:([0-9a-f]{64})")


def make_sbom(lock: str, our_version: str) -> dict[str, Any]:
    """Return the bill of materials of one version of the distribution with the dependencies of a lock file.

    A dependency carries the hashes of all its files that the lock accepts. Its marker, if any, says where it is
    installed.
    """
    pins = list(PINNED.finditer(lock))
    ends = [pin.start() for pin in pins[1:]] + [len(lock)]
    dependencies = [
        _dependency(pin, HASH.findall(lock, pin.end(), end)) for pin, end in zip(pins, ends, strict=True)
    ]
    ours = _component("application", OURS, our_version)
    content = {
        "metadata": {"component": ours},
        "components": dependencies,
        "dependencies": [{"ref": ours["bom-ref"], "dependsOn": [used["bom-ref"] for used in dependencies]}],
    }
    serial = uuid5(NAMESPACE_URL, json.dumps(content))
    head = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{serial}",
        "version": 1,
    }
    return head | content


def _dependency(pin: re.Match[str], hashes: list[str]) -> dict[str, Any]:
    dependency = _component("library", pin["name"], pin["version"])
    dependency["hashes"] = [{"alg": "SHA-256", "content": content} for content in hashes]
    if pin["marker"]:
        dependency["properties"] = [{"name": "companyos:marker", "value": pin["marker"]}]
    return dependency


def _component(kind: str, name: str, version: str) -> dict[str, Any]:
    purl = f"pkg:pypi/{re.sub('[-_.]+', '-', name).lower()}@{version}"
    return {"type": kind, "bom-ref": purl, "name": name, "version": version, "purl": purl}


if __name__ == "__main__":
    json.dump(make_sbom(sys.stdin.read(), version(OURS)), sys.stdout, indent=1)
