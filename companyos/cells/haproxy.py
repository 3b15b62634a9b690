"""A configuration of HAProxy that routes by name, for clients that know one address of several cells.

The name is that of the episode, snapshot or session in the path, the query or the JSON body; for agents, it is in
their token, which pages have in a link or a cookie. What names a cell goes there, an id of a trainer's own goes to the
cell of its hash, as `names` computes it, and what names nothing goes to the better of two cells drawn at random.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final
from urllib.parse import urlsplit

DEFAULT_PORTS: Final = {"http": 80, "https": 443}
#: Where a body names its episode, snapshot or session; a batch is routed by its first item.
_IN_BODY: Final = (
    "$.episode_id",
    "$.snapshot",
    "$[0].episode_id",
    "$[0].snapshot",
    "$.params.session_id",
    "$.params.episode_id",
)
#: The cookie in which a browser keeps an agent's token.
_COOKIE: Final = "companyos_agent"
_IN_QUERY: Final = ("episode_id", "session_id", "new_episode_id")

_HEAD: Final = """\
# Routes requests to cells by name; written by `companyos router`.
global
    log stdout format raw local0 notice
    maxconn 4096
    # A body is read as far as this to find a name in it, in bytes.
    tune.bufsize 131072
    hard-stop-after 10s

defaults
    log global
    mode http
    option dontlognull
    option redispatch 1
    retries 5
    retry-on conn-failure
    timeout connect 1s
    timeout queue 10s
    timeout http-request 30s
    timeout http-keep-alive 75s
    timeout client 330s
    timeout server 330s
    timeout tunnel 24h
    # A cell that is slow is not gone: one whose process ended refuses the connection at once.
    timeout check 10s
    option httpchk GET /health
    # 503 of one that was never ready yet. A cell counts as gone after five failed checks in a row.
    http-check expect status 200,503
    default-server check inter 1s fastinter 500ms downinter 500ms rise 1 fall 5
"""
#: For cells whose addresses change, and for those that are not there yet.
_RESOLVED: Final = """\
    default-server resolvers dns init-addr none resolve-prefer ipv4

resolvers dns
    parse-resolv-conf
    resolve_retries 3
    timeout resolve 1s
    timeout retry 500ms
    hold valid 1s
    hold nx 5s
    hold other 5s
    hold obsolete 5s
    accepted_payload_size 8192
"""
_GONE: Final = (
    '{"type":"cell_gone","title":"Cell gone","status":410,"detail":"The cell that holds this does not answer. '
    'Its open episodes are lost, unless it comes back. Reset starts others elsewhere.","retryable":false}'
)


def configuration(
    cells: Mapping[str, str],
    *,
    port: int,
    agents: Mapping[str, str] | None = None,
    resolves: bool = False,
    certificate: str | None = None,
) -> str:
    """Return a configuration of HAProxy.

    Args:
        cells: The URL of each cell's trainer API, by its name.
        port: The port to listen on.
        agents: The URL of each cell's agent API, if that is what to route to; health is asked of the trainer API.
        resolves: Whether to ask the DNS for the cells' addresses all the time, instead of once at the start. Host names
            must then be complete, and a cell may be missing.
        certificate: The file of a certificate and its key, if clients are to use TLS.
    """
    names = sorted(cells)
    find = _agent_rules() if agents else _trainer_rules(names)
    servers = {name: _server(name, (agents or cells)[name], health=cells[name]) for name in names}
    lines = [
        "",
        "frontend api",
        f'    bind ":{port}"{_tls(certificate)}',
        *find,
        *_gone_rules(names),
        *(f"    use_backend {name} if {{ var(txn.cell) -m str {name} }}" for name in names),
        "    default_backend any",
        *(line for name in names for line in ("", f"backend {name}", servers[name])),
        "",
        "backend any",
        "    balance random(2)",
        "    # A cell that drains refuses a reset with 503, and nothing was done: another one takes it.",
        "    retry-on conn-failure 503",
        "    http-request disable-l7-retry unless { path /reset }",
        *(servers[name] for name in names),
        "",
    ]
    return _HEAD + (_RESOLVED if resolves else "") + "\n".join(lines)


def _tls(certificate: str | None) -> str:
    return f' ssl crt "{certificate}" alpn http/1.1 ssl-min-ver TLSv1.2' if certificate else ""


def _trainer_rules(names: list[str]) -> Iterator[str]:
    yield "    option http-buffer-request"
    yield "    http-request set-var(txn.name) path,field(3,/),url_dec if { path_beg /episodes/ /snapshots/ }"
    yield "    http-request unset-var(txn.name) if { path /snapshots/import }"
    places = [f"urlp({key})" for key in _IN_QUERY] + [f"req.body,json_query('{path}')" for path in _IN_BODY]
    for place in places:
        yield f"    http-request set-var(txn.name) {place} if !{{ var(txn.name) -m found }}"
    yield "    http-request set-var(txn.cell) var(txn.name),field(1,.) if { var(txn.name) -m sub . }"
    known = f"{{ var(txn.cell) -m str {' '.join(names)} }}"
    yield f"    http-request unset-var(txn.cell) if !{known}"
    yield "    acl is_own_id var(txn.name) -m found"
    yield f"    http-request set-var(txn.hashed) bool(true) if is_own_id !{known}"
    yield "    http-request set-var(txn.best) int(-1)"
    for name in names:
        heavier = "{ var(txn.hashed) -m bool } { var(txn.weight),sub(txn.best) gt 0 }"
        weight = f"str({name}/),concat(,txn.name),sha2(256),bytes(0,4),hex,hex2i"
        yield f"    http-request set-var(txn.weight) {weight} if {{ var(txn.hashed) -m bool }}"
        yield f"    http-request set-var(txn.cell) str({name}) if {heavier}"
        yield f"    http-request set-var(txn.best) var(txn.weight) if {heavier}"


def _agent_rules() -> Iterator[str]:
    places = ("req.hdr(authorization),word(2,' ')", "urlp(token)", f"req.cook({_COOKIE})")
    for place in places:
        yield f"    http-request set-var(txn.token) {place} if !{{ var(txn.token) -m found }}"
    yield "    http-request set-var(txn.cell) var(txn.token),regsub(^cosagent_,),field(1,.)"


def _gone_rules(names: list[str]) -> Iterator[str]:
    for name in names:
        condition = f"{{ var(txn.cell) -m str {name} }} {{ nbsrv({name}) eq 0 }}"
        yield (
            "    http-request return status 410 content-type application/problem+json "
            f"string '{_GONE}' if {condition}"
        )


def _server(name: str, url: str, *, health: str) -> str:
    parts, checked = urlsplit(url), urlsplit(health)
    port = parts.port or DEFAULT_PORTS[parts.scheme]
    tls = " ssl verify required ca-file @system-ca" if parts.scheme == "https" else ""
    return (
        f"    server {name} {parts.hostname}:{port} port {checked.port or DEFAULT_PORTS[checked.scheme]}{tls}"
    )
