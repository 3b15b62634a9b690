"""The page of refusals."""

from importlib import import_module
from pathlib import Path

from companyos.chassis.errors import ServiceError
from orchestrator.branching.archives.refusals import ArchiveRefused
from orchestrator.execution.defects import SERVICE_ERROR
from services import manifests

from .markdown import document, first_line, table

ROOT = Path(__file__).parents[2]


TEXT = (
    "A service refuses a call with a problem document (RFC 9457): `type` is the code, and `detail` says "
    "how to fix the call. A *violation* breaks a policy; violations are counted, and an episode with one "
    "cannot succeed. The document, and the `error` that an agent observes, has these fields where they "
    "apply: `field`, the invalid argument; `remedy`, the tool to call first; `required_field`, the field "
    "to supply or set first; `allowed_values`; `permission`, the missing permission; `retry_after_s`, in "
    "simulated seconds. A rejected request has a `remedy` (`add_evidence`, `fix_field`, `resubmit`, "
    "`second_approver`) and a `required_field`."
)
DEFECTS = (
    f"The orchestrator refuses a call with `{SERVICE_ERROR}` (422 over REST) if a service that is ready fails on it, "
    "and again when it is repeated. That is a defect of the service, not of the call: it costs its step and nothing "
    "else, and the episode goes on."
)


def page() -> str:
    """Return the page."""
    services = [_section(one["title"], *_modules_of_errors(one["service"])) for one in manifests()]
    everywhere = _section("Every service", "companyos.chassis.errors")
    return document("Refusals", TEXT, DEFECTS, everywhere, *services, _archives())


def _section(title: str, *modules: str) -> str:
    errors = [error for module in modules for error in _errors_of(module)]
    rows = [
        f"| `{error.code}` | {error.status_code} | {'yes' if error.violation else ''} | {first_line(error)} |"
        for error in sorted(errors, key=lambda error: str(error.code))
    ]
    return f"## {title}\n\n{table(['code', 'status', 'violation', 'meaning'], rows)}"


def _errors_of(module: str) -> list[type[ServiceError]]:
    defined = [one for one in vars(import_module(module)).values() if isinstance(one, type)]
    refusals = [one for one in defined if issubclass(one, ServiceError) and one is not ServiceError]
    return sorted((one for one in refusals if one.__module__ == module), key=lambda one: str(one.code))


def _modules_of_errors(service: str) -> list[str]:
    """Return the modules in which a service and its areas define their refusals."""
    found = sorted((ROOT / "services" / service).rglob("errors.py"))
    return [".".join(path.relative_to(ROOT).with_suffix("").parts) for path in found]


def _archives() -> str:
    refusals = sorted(ArchiveRefused.__subclasses__(), key=lambda refusal: str(refusal.CODE))
    rows = [f"| `{refusal.CODE}` | {refusal.STATUS} | {first_line(refusal)} |" for refusal in refusals]
    return f"## Files of snapshots\n\n{table(['code', 'status', 'meaning'], rows)}"
