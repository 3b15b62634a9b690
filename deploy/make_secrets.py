"""The one-shot `secrets` container: fills the secret volumes that the other containers read.

Nothing has a default. At first start two random seeds are drawn and kept in the volume `keys`, which no other
container mounts; every password, key and token is derived from a seed and its own name, so a second run
writes the same files again and a service added later gets its own. Each reader of secrets has a volume of its
own, mounted here below /secrets. Files are 0440 and belong to 10001:10001: the uid of our processes, and the
group that PostgreSQL and Redis are given.

`--rotate` draws a new seed for everything but the password of PostgreSQL's administrator, which is set once,
when the database is made.
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
NOT_PROCESSES = frozenset({KEYS, "postgres", "redis", "migrate"})
CONNECT = "resetchannels -@all +@connection -@dangerous"
#: What services may besides where chaos ends Redis for real.
END_REDIS = "+shutdown"
SERVICE_STREAMS = (
    "(~events:* +xadd +xreadgroup +xgroup|create +xlen +xinfo|groups +xtrim) "
    "(~settled:{name} ~lost:{name} +xread +xdel) (~acks:* ~lost:* +xadd)"
)
ORCHESTRATOR_STREAMS = "(~acks:* +xread +xtrim +expire +del) (~settled:* +xadd)"


class Seeds:
    """The random seeds that every secret is derived from.

    Attributes:
        administrator: For the password of PostgreSQL's administrator.
        stack: For everything else.
    """

    def __init__(self, folder: Path, *, rotate: bool = False) -> None:
        self.administrator = _seed(folder / "administrator")
        self.stack = _seed(folder / "stack", renew=rotate)

    def derive(self, name: str) -> str:
        """Return the secret of this name: 256 bits in hexadecimal, fit for URLs and configuration files."""
        return _derive(self.stack, name)

    def administrator_password(self) -> str:
        """Return the password of PostgreSQL's administrator."""
        return _derive(self.administrator, "postgres")


def files_for(
    reader: str, processes: list[str], seeds: Seeds, *, trainer_token: str, real_kills: bool = False
) -> dict[str, str]:
    """Return what one reader of secrets may know, as file names and contents."""
    match reader:
        case "postgres":
            return {"password": seeds.administrator_password()}
        case "redis":
            users = bus_users(processes, seeds, real_kills=real_kills)
            return {"users.acl": users, "health_password": seeds.derive("redis/health")}
        case "migrate":
            return migration_files(processes, seeds)
        case _:
            return process_files(reader, seeds) | (
                {"trainer_token": trainer_token} if reader == ORCHESTRATOR else {}
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


def migration_files(processes: list[str], seeds: Seeds) -> dict[str, str]:
    """Return what `companyos migrate` needs: the administrator's address and every role's password."""
    password = seeds.administrator_password()
    roles = {f"{process}_database_password": seeds.derive(f"postgres/{process}") for process in processes}
    return {"admin_database_url": f"postgresql://postgres:{password}@postgres:5432/companyos"} | roles


def bus_users(processes: list[str], seeds: Seeds, *, real_kills: bool = False) -> str:
    """Return Redis' access list: what each process may do to which streams.

    Services publish and consume events and remove those that all were handed, learn which of their own are
    settled or lost, say which of others' were lost, and acknowledge without reading any acknowledgement; the
    orchestrator reads those and never sees an event. With `real_kills` services may end Redis.
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
    """Put a file in its place at once, so that no reader ever finds half of it."""
    unfinished = path.with_name(f".{path.name}")
    unfinished.unlink(missing_ok=True)
    with os.fdopen(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o440), "w") as file:
        file.write(content)
    unfinished.replace(path)


def require_token(published_host: str, trainer_token: str) -> None:
    """Stop the stack before anything starts if strangers could reach the trainer API without a token.

    Raises:
        SystemExit: The trainer API is published beyond loopback and has no token.
    """
    stackpath.enter()
    # The orchestrator holds the rule, and would refuse too: as the last container, restarted again and again.
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
    """Fill every volume that is mounted below `root`."""
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
