"""A server as its clients reach it: the address, the headers of every request, and the proxy on the way."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit, urlunsplit
from urllib.request import getproxies_environment, proxy_bypass

from companyos.sdk.addresses import address_flaw, is_loopback

from .errors import InvalidRequest, ProxyUnusable

if TYPE_CHECKING:
    import ssl

TOKEN_VARIABLE: Final = "COMPANYOS_TRAINER_TOKEN"  # noqa: S105 - the name of a variable, not a token
TIMEOUT_S: Final = 60.0
CONNECT_TIMEOUT_S: Final = 10.0
CLOSE_TIMEOUT_S: Final = 2.0
MAX_MESSAGE_BYTES: Final = 100 * 1024 * 1024
_AUTHORIZATION: Final = "authorization"
#: The scheme of a DNS name that resolves to all cells.
DNS: Final = "companyos+dns"
SCHEMES: Final = frozenset({"http", "https", "ws", "wss", DNS})
_PROXIES: Final = frozenset({"http", "https", "socks4", "socks4a", "socks5", "socks5h"})


def certificates(*, trust_env: bool = True) -> ssl.SSLContext:
    """Return the certificates that `httpx` trusts.

    Clients that load them themselves take 30 ms each, and every fork has a client.

    Args:
        trust_env: Whether SSL_CERT_FILE and SSL_CERT_DIR may name others.
    """
    named = [os.environ.get(name) for name in ("SSL_CERT_FILE", "SSL_CERT_DIR")] if trust_env else []
    return _certificates_at(*named)


@cache
def _certificates_at(*named: str | None) -> ssl.SSLContext:
    import httpx

    return httpx.create_ssl_context(trust_env=bool(named))


@dataclass(frozen=True)
class Server:
    """A server.

    Attributes:
        url: URL of the trainer API, without a slash at its end.
        headers: Headers of every request, the token's among them.
        timeout_s: Longest wait for one response.
    """

    url: str
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    timeout_s: float = TIMEOUT_S

    @property
    def name(self) -> str:
        """The URL for messages, without a password that it may hold."""
        parts = urlsplit(self.url)
        return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))

    @property
    def http_options(self) -> dict[str, Any]:
        """The arguments of an `httpx` client."""
        import httpx

        return {
            "base_url": self.url,
            "headers": dict(self.headers),
            "timeout": httpx.Timeout(self.timeout_s, connect=CONNECT_TIMEOUT_S),
            **self.route_options,
        }

    @property
    def route_options(self) -> dict[str, Any]:
        """The arguments of an `httpx` client, or of one request, for the way there: its proxy and the certificates.

        `httpx` itself would load every proxy that the environment names, also where it needs none of them.
        """
        return {
            "proxy": self._proxy_for_all,
            # Where the environment names no proxy, the operating system may.
            "trust_env": not (is_direct(self.url) or getproxies_environment()),
            "verify": certificates(trust_env=not is_loopback(self.url)),
        }

    @property
    def socket_options(self) -> dict[str, Any]:
        """The arguments of a connection of `websockets`."""
        return {
            "additional_headers": dict(self.headers),
            "open_timeout": CONNECT_TIMEOUT_S,
            "close_timeout": CLOSE_TIMEOUT_S,
            "max_size": MAX_MESSAGE_BYTES,
            # What is not named in the environment, websockets finds itself, such as the operating system's.
            "proxy": self._proxy_for_all or (None if is_direct(self.url) else True),
        }

    @property
    def _proxy_for_all(self) -> str | None:
        """The URL of the proxy for requests and sockets alike; SOCKS_PROXY is for sockets only, which read it."""
        variable = proxy_variable(self.url)
        return _proxy_in(variable) if variable and variable.lower() != "socks_proxy" else None

    @property
    def proxy(self) -> str | None:
        """The URL of the HTTP proxy on the way, for clients that take one as an argument; None if there is none.

        Raises:
            ProxyUnusable: The environment names a proxy of another kind.
        """
        if (variable := proxy_variable(self.url)) is None:
            return None
        proxy = _proxy_in(variable)
        if address_flaw(proxy):
            raise ProxyUnusable(
                f"The proxy in {variable} cannot be used here, where only http:// and https:// proxies can whose host "
                f"and port can be read. Unset {variable}, or set NO_PROXY to {urlsplit(self.url).hostname} to reach "
                f"{self.name} directly."
            )
        return proxy

    @contextmanager
    def proxy_named(self) -> Iterator[None]:
        """Name the variable of a proxy that a library cannot use; its own words may hold the proxy's password.

        Raises:
            ProxyUnusable: The proxy cannot be used.
        """
        variable = proxy_variable(self.url)
        try:
            if variable and (flaw := address_flaw(_proxy_in(variable), _PROXIES)):
                raise ValueError(flaw)
            yield
        except (ImportError, ValueError):
            if variable is None:
                raise
            raise ProxyUnusable(
                f"The client cannot use the proxy in {variable}: it takes http:// and https:// proxies whose host and "
                "port can be read, and SOCKS only with `pip install 'httpx[socks]' python-socks`. Unset "
                f"{variable}, or set NO_PROXY to {urlsplit(self.url).hostname} to reach {self.name} directly."
            ) from None

    def why_lost(self, error: Exception) -> str:
        """Return why no response arrived, with the proxy that was asked, if any."""
        why = str(error) or type(error).__name__
        variable = proxy_variable(self.url)
        return f"{why} (by the proxy in {variable}; NO_PROXY names hosts without one)" if variable else why


def server_at(
    url: str | Sequence[str],
    token: str | None = None,
    headers: Mapping[str, str] | None = None,
    timeout_s: float = TIMEOUT_S,
) -> Server:
    """Return a server, with the token in COMPANYOS_TRAINER_TOKEN unless one or a header `Authorization` is given.

    Several URLs, of stacks that are used as one, become one with commas between them.

    Raises:
        InvalidRequest: A URL is malformed. The message says how, and does not show a password.
        ValueError: No header can hold the token or a header's value. The message does not show it.
    """
    has_own = any(name.lower() == _AUTHORIZATION for name in headers or {})
    token = token or (None if has_own else os.environ.get(TOKEN_VARIABLE))
    return Server(_address(url), access_headers(token, headers), timeout_s)


def _address(url: Any) -> str:
    urls = [url] if isinstance(url, str) else url
    if not isinstance(urls, Sequence) or not urls or not all(isinstance(each, str) for each in urls):
        raise _malformed(f"an address is text such as http://127.0.0.1:8000, not {type(url).__name__}")
    return ",".join(_checked(part.strip()) for each in urls for part in each.split(","))


def _checked(url: str) -> str:
    """Return a URL without a slash at its end, if a connection can be attempted to it."""
    if flaw := address_flaw(url, SCHEMES):
        shown = repr(url.rpartition("@")[2].partition("?")[0])
        hint = "; a token goes into `token` or `headers`" if "?" in url else ""
        raise _malformed(f"{shown} {flaw}{hint}")
    return url.rstrip("/")


def _malformed(why: str) -> InvalidRequest:
    return InvalidRequest(422, "base_url_invalid", f"base_url is no address of a server: {why}.")


def access_headers(token: str | None, headers: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the headers that let a client in. A line's end or a byte-order mark around a value is left out.

    Raises:
        ValueError: A value that no header can hold, or two for `Authorization`. The message does not show it.
    """
    sent = {name: _header_value(name, value) for name, value in (headers or {}).items()}
    token = _header_value("token", token or "")
    if not any(name.lower() == _AUTHORIZATION for name in sent):
        return {**sent, **({"Authorization": f"Bearer {token}"} if token else {})}
    if token:
        raise ValueError(
            "Give the trainer token or a header `Authorization`, not both. A private Hugging Face Space takes its own "
            "token as `X-HF-Authorization`, too."
        )
    return sent


def _header_value(name: str, value: str) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{name} has a value of type {type(value).__name__}; a header's value is text.")
    value = value.strip().removeprefix("\ufeff")
    if not (value.isascii() and value.isprintable()):
        raise ValueError(f"{name} has characters that no header can hold, such as a line's end within it.")
    return value


def is_direct(url: str) -> bool:
    """Return whether no proxy is asked for a URL: it is of this machine, or NO_PROXY names its host."""
    return is_loopback(url) or bool(proxy_bypass(urlsplit(url).netloc.rpartition("@")[2]))


def proxy_variable(url: str) -> str | None:
    """Return the variable of the environment that names a proxy for a URL, or None if it is reached directly."""
    parts = urlsplit(url)
    if is_direct(url):
        return None
    scheme = {"ws": "http", "wss": "https"}.get(parts.scheme, parts.scheme)
    names = (f"{scheme}_proxy", "all_proxy", "socks_proxy")
    return next((each for name in names for each in (name, name.upper()) if os.environ.get(each)), None)


def _proxy_in(variable: str) -> str:
    proxy = os.environ[variable].strip()
    return proxy if "://" in proxy else f"http://{proxy}"
