"""The one-shot `secrets` container: fills the secret volumes that the other containers read.

Nothing has a default. The first start draws two random seeds and keeps them in the volume `keys`, which no
other container mounts. Every password, key and token is derived from a seed and its own name, so a second run
writes the same files again and a service added later gets its own secrets. Each reader of secrets has its own
volume, mounted here below /secrets. Files have mode 0440 and belong to 10001:10001, the uid of our processes
and the group of PostgreSQL and Redis.

`--rotate` draws a new seed for everything except the password of PostgreSQL's administrator, which is set
once, when the database is created.
"""

import argparse
import hashlib
import hmac
import os
import secrets
import sys
from pathlib import Path

from companyos.sdk import stackpath

KEYS = "keys"
ORCHESTRATOR = "orchestrator"
NOT_PROCESSES = frozenset({KEYS, "postgres", "redis", "migrate", "browser"})
CONNECT = "resetchannels -@all +@connection -@dangerous"
#: The additional permission of services if chaos shuts Redis down for real.
END_REDIS = "+shutdown"
SERVICE_STREAMS = (
    "(~events:* +xadd +xreadgroup +xgroup|create +xlen +xinfo|groups +xtrim) "
    "(~settled:{name} ~lost:{name} +xread +xdel) (~acks:* ~lost:* +xadd)"
)
ORCHESTRATOR_STREAMS = "(~acks:* +xread +xtrim +expire +del) (~settled:* +xadd)"


class Seeds:
    """The random seeds from which all secrets are derived.

    Attributes:
        administrator: For the password of PostgreSQL's administrator.
        stack: For everything else.
    """

    def __init__(self, folder: Path, *, rotate: bool = False) -> None:
        self.administrator = _seed(folder / "administrator")
        self.stack = _seed(folder / "stack", renew=rotate)

    def derive(self, name: str) -> str:
        """Return the secret of this name: 256 bits in hexadecimal, safe in URLs and configuration files."""
        return _derive(self.stack, name)

    def administrator_password(self) -> str:
        """Return the password of PostgreSQL's administrator."""
        return _derive(self.administrator, "postgres")


def files_for(
    reader: str, processes: list[str], seeds: Seeds, *, trainer_token: str, real_kills: bool = False
) -> dict[str, str]:
    """Return the secrets of one reader, as file names and contents."""
    match reader:
        case "postgres":
            return {"password": seeds.administrator_password()}
        case "redis":
            users = bus_users(processes, seeds, real_kills=real_kills)
            return {"users.acl": users, "health_password": seeds.derive("redis/health")}
        case "migrate":
            return migration_files(processes, seeds)
        case "browser":
            return {"trainer_token": trainer_token}
        case _:
            return process_files(reader, seeds) | (
                trainer_files(seeds, trainer_token) if reader == ORCHESTRATOR else {}
            )


def process_files(process: str, seeds: Seeds) -> dict[str, str]:
    """Return the secrets of a service or of the orchestrator."""
    database, bus = seeds.derive(f"postgres/{process}"), seeds.derive(f"redis/{process}")
    return {
        "database_url": f"postgresql://{process}:{database}@postgres:5432/companyos",
        "redis_url": f"redis://{process}:{bus}@redis:6379/0",
        "context_key": seeds.derive("context"),
        "admin_token": seeds.derive("admin"),
        "operator_token": seeds.derive("operator"),
    }


def trainer_files(seeds: Seeds, trainer_token: str) -> dict[str, str]:
    """Return who may use the trainer API; without a trainer token it is open, and no grader's token restricts that."""
    grader_token = seeds.derive("grader") if trainer_token else ""
    return {"trainer_token": trainer_token, "grader_token": grader_token}


def migration_files(processes: list[str], seeds: Seeds) -> dict[str, str]:
    """Return what `companyos migrate` needs: the administrator's address and every role's password."""
    password = seeds.administrator_password()
    roles = {f"{process}_database_password": seeds.derive(f"postgres/{process}") for process in processes}
    return {"admin_database_url": f"postgresql://postgres:{password}@postgres:5432/companyos"} | roles


def bus_users(processes: list[str], seeds: Seeds, *, real_kills: bool = False) -> str:
    """Return Redis' access control list: what each process may do to which streams.

    Services publish and consume events, and remove events that all consumers have received. They read which
    of their own events are settled or lost, and report which events of others were lost. They write
    acknowledgements but cannot read them. The orchestrator reads acknowledgements and announces settled
    events, but never sees an event. With `real_kills`, services may shut Redis down.
    """
    health = _digest(seeds.derive("redis/health"))
    users = ["user default off resetchannels -@all", f"user health on #{health} resetchannels -@all +ping"]
    for process in processes:
        password = _digest(seeds.derive(f"redis/{process}"))
        is_service = process != ORCHESTRATOR
        connect = f"{CONNECT} {END_REDIS}" if is_service and real_kills else CONNECT
        streams = SERVICE_STREAMS.format(name=process) if is_service else ORCHESTRATOR_STREAMS
        users.append(f"user {process} on #{password} {connect} {streams}")
    return "\n".join([*users, ""])


def write(path: Path, content: str) -> None:
    """Write a file atomically, so readers never see part of it."""
    unfinished = path.with_name(f".{path.name}")
    unfinished.unlink(missing_ok=True)
    with os.fdopen(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o440), "w") as file:
        file.write(content)
    unfinished.replace(path)


def require_token(published_host: str, trainer_token: str) -> None:
    """Exit before anything starts if other machines could reach the trainer API without a token.

    Raises:
        SystemExit: The trainer API is published beyond loopback and has no token.
    """
    stackpath.enter()
    # The orchestrator enforces this rule itself, but it starts last and would be restarted again and again.
    from orchestrator.http.messages import guard

    try:
        guard.require_token(published_host, trainer_token)
    except guard.TrainerApiUnprotected as refusal:
        sys.exit(str(refusal))


def _seed(path: Path, *, renew: bool = False) -> bytes:
    if renew or not path.exists():
        write(path, secrets.token_hex(32))
    return bytes.fromhex(path.read_text())


def _derive(seed: bytes, name: str) -> str:
    return hmac.digest(seed, name.encode(), "sha256").hex()


def _digest(password: str) -> str:
    return hashlib.sha256(password.encode()).hexdigest()


def main(root: Path = Path("/secrets")) -> None:
    """Fill every volume mounted below `root`."""
    parser = argparse.ArgumentParser(description="Fill the secret volumes of the stack.")
    parser.add_argument("--rotate", action="store_true", help="draw new secrets; then restart the stack")
    arguments = parser.parse_args()
    trainer_token = os.environ.get("COMPANYOS_TRAINER_TOKEN", "").strip()
    require_token(os.environ.get("COMPANYOS_PUBLISHED_HOST", "127.0.0.1"), trainer_token)

    seeds = Seeds(root / KEYS, rotate=arguments.rotate)
    readers = sorted(path.name for path in root.iterdir() if path.name != KEYS and path.is_mount())
    processes = [reader for reader in readers if reader not in NOT_PROCESSES]
    real_kills = os.environ.get("COMPANYOS_REAL_KILLS", "").lower() == "true"
    for reader in readers:
        files = files_for(reader, processes, seeds, trainer_token=trainer_token, real_kills=real_kills)
        for name, content in files.items():
            write(root / reader / name, content)
    print(f"secrets are in place for {', '.join(readers)}")


if __name__ == "__main__":
    main()
