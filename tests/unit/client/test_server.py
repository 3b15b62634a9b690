"""How a client is let in, and the proxies on its way: tokens from files, headers of its own, variables."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ssl import SSLError
from threading import Thread
from typing import Any

import pytest

from companyos.client import (
    AsyncCompanyosEnv,
    CompanyosBatch,
    CompanyosEnv,
    InvalidRequest,
    ProxyUnusable,
    Via,
)
from companyos.client.pages.text_browser import TextBrowser
from companyos.client.server import access_headers, certificates, proxy_variable, server_at
from companyos.client.transport import Request
from companyos.embedded.programs.draining import drain, open_episodes
from companyos.evaluation.runs.players.doors import tools_at
from companyos.evaluation.viewer import LiveStack
from companyos.sdk.addresses import is_loopback

SECRET = "hf_a-secret"
PROXIES = [f"{name}_proxy" for name in ("http", "https", "all", "socks", "no")]
FAR = "https://company.example"


@pytest.fixture(autouse=True)
def without_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ["COMPANYOS_TRAINER_TOKEN", *PROXIES, *map(str.upper, PROXIES)]:
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize("token", ["a-token\n", " a-token\r\n", "a-token"])
def test_a_token_from_a_file_is_sent_without_the_end_of_its_line(
    token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = access_headers(token)
    monkeypatch.setenv("COMPANYOS_TRAINER_TOKEN", token)

    assert given == server_at(FAR).headers == {"Authorization": "Bearer a-token"}


def test_clients_load_the_certificates_that_they_trust_once(monkeypatch: pytest.MonkeyPatch) -> None:
    here, far = (server_at(url).http_options["verify"] for url in ("http://127.0.0.1:9", FAR))
    again = [server_at(url).http_options["verify"] for url in ("http://127.0.0.1:8", f"{FAR}:8443")]
    monkeypatch.setenv("SSL_CERT_FILE", __file__)

    assert again == [here, far]
    assert server_at("http://127.0.0.1:9").http_options["verify"] is here
    with pytest.raises(SSLError):
        certificates()


@pytest.mark.parametrize("empty", [None, "", "\n"])
def test_an_empty_token_is_none(empty: str | None) -> None:
    assert access_headers(empty) == {}


@pytest.mark.parametrize(
    "made", [CompanyosEnv, AsyncCompanyosEnv, lambda url, **given: CompanyosBatch(url, 1, **given)]
)
@pytest.mark.parametrize(
    "given",
    [{"token": f"{SECRET}\n{SECRET}"}, {"token": f"{SECRET}é"}, {"headers": {"X-Key": f"{SECRET}\0"}}],
)
def test_a_secret_that_no_header_can_hold_is_refused_and_not_shown(
    made: Callable[..., Any], given: dict[str, Any]
) -> None:
    with pytest.raises(ValueError, match="no header can hold") as refused:
        made("http://there", **given)

    assert SECRET not in str(refused.value)


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("http://[", "no host or port that can be read"),
        (f"http://user:{SECRET}@[::1", "no host or port that can be read"),
        ("http://there:99999", "no host or port that can be read"),
        ("http://there:port", "no host or port that can be read"),
        ("http://there:0", "no host or port that can be read"),
        ("http://a..b", "no host or port that can be read"),
        ("localhost:8000", "does not begin with http://"),
        ("ftp://there", "does not begin with http://"),
        ("http:/there", "does not begin with http://"),
        ("", "does not begin with http://"),
        ("http://", "names no host"),
        ("http://over there", "has a space"),
        (f"http://there?token={SECRET}", "goes into `token`"),
        ("http://there,http://[", "no host or port that can be read"),
        ([], "an address is text"),
        (8000, "an address is text"),
    ],
)
@pytest.mark.parametrize("made", [CompanyosEnv, AsyncCompanyosEnv, lambda url: CompanyosBatch(url, 1)])
def test_a_malformed_address_is_refused_by_what_is_wrong(
    made: Callable[..., Any], url: Any, why: str
) -> None:
    with pytest.raises(InvalidRequest, match=why) as refused:
        made(url)

    assert refused.value.code == "base_url_invalid"
    assert SECRET not in str(refused.value)


@pytest.mark.parametrize("url", [" http://there/ ", "http://there\n", "http://there"])
def test_an_address_from_a_file_is_used_without_what_surrounds_it(url: str) -> None:
    assert server_at(url).url == "http://there"


def test_headers_for_a_proxy_travel_beside_the_token() -> None:
    space = {"X-HF-Authorization": f"Bearer {SECRET}\n"}

    sent = access_headers("a-token", space)

    assert sent == {"X-HF-Authorization": f"Bearer {SECRET}", "Authorization": "Bearer a-token"}


def test_a_header_of_the_callers_stands_for_the_token_of_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COMPANYOS_TRAINER_TOKEN", "a-token")

    assert server_at(FAR, headers={"authorization": "Basic x"}).headers == {"authorization": "Basic x"}
    with pytest.raises(ValueError, match="not both"):
        access_headers("a-token", {"authorization": "Basic x"})


def test_neither_representations_nor_messages_hold_a_secret() -> None:
    server = server_at(f"https://user:{SECRET}@company.example/", SECRET, {"X-Key": SECRET})

    assert SECRET not in server.name
    assert SECRET not in repr(CompanyosEnv("http://there", token=SECRET))
    assert server.headers["X-Key"] not in repr(server).replace(server.url, "")


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:8000",
        "http://localhost",
        "http://[::1]:8000",
        "http://a.localhost",
        "http://0.0.0.0:1",
        "http://[::ffff:127.0.0.1]:8000",
    ],
)
def test_this_machine_is_reached_without_a_proxy(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "socks5://127.0.0.1:9")

    server = server_at(url)

    assert is_loopback(url)
    assert (server.http_options["trust_env"], server.http_options["proxy"]) == (False, None)
    assert server.socket_options["proxy"] is None
    assert proxy_variable(url) is None
    CompanyosEnv(url)._opened().close()


@pytest.fixture
def here() -> Iterator[str]:
    """The URL of a server on this machine that answers whatever it is asked."""

    class Answers(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            body = b'{"tools": [], "open_episodes": 3}'
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_PUT = do_GET  # noqa: N815 - as the library names it

        def log_message(self, *arguments: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Answers) as server:
        Thread(target=server.serve_forever).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def is_shown(url: str) -> bool:
    with TextBrowser(f"{url}/web/", "token") as browser:
        return browser.status == 200


@pytest.mark.parametrize(
    ("ask", "answer"),
    [
        (is_shown, True),
        (lambda url: tools_at(f"{url}/web/", ""), {}),
        (lambda url: open_episodes(url, None), 3),
        (lambda url: drain(url, None, 1.0), 3),
    ],
)
@pytest.mark.parametrize("proxy", ["http://127.0.0.1:9", "socks5://127.0.0.1:9"])
def test_clients_of_every_kind_ask_this_machine_without_a_proxy(
    here: str, ask: Callable[[str], Any], answer: Any, proxy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ALL_PROXY", proxy)

    assert ask(here) == answer


def test_a_host_without_a_proxy_needs_no_library_of_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "socks5://127.0.0.1:9")
    monkeypatch.setenv("NO_PROXY", "company.example")

    for url in (FAR, f"{FAR}:8443", "http://company.example"):
        CompanyosEnv(url)._opened().close()
        TextBrowser(url, "").close()
    assert LiveStack(FAR)


def test_a_proxy_that_is_not_asked_is_not_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "socks5://127.0.0.1:9")
    monkeypatch.setenv("HTTPS_PROXY", "127.0.0.1:9")

    CompanyosEnv(FAR)._opened().close()

    assert server_at(FAR).http_options["proxy"] == "http://127.0.0.1:9"


@pytest.mark.parametrize("name", ["ALL_PROXY", "all_proxy", "HTTPS_PROXY"])
@pytest.mark.parametrize("via", list(Via))
def test_a_proxy_that_cannot_be_used_is_named_by_its_variable(
    name: str, via: Via, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, f"gopher://user:{SECRET}@127.0.0.1:9")

    with pytest.raises(ProxyUnusable, match=rf"in {name}:.*NO_PROXY to company\.example") as refused:
        CompanyosEnv(FAR, via=via)._opened()

    assert SECRET not in str(refused.value)


@pytest.mark.parametrize("url", [FAR, "http://company.example"])
@pytest.mark.parametrize("via", list(Via))
@pytest.mark.parametrize("place", ["host:port", "host:99999", "host:0", "[", "a..b:80", "", "over there:80"])
def test_a_proxy_whose_address_cannot_be_read_is_named_by_its_variable(
    place: str, via: Via, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ALL_PROXY", f"http://user:{SECRET}@{place}")

    with pytest.raises(ProxyUnusable, match=r"proxy in ALL_PROXY: .* whose host and port") as opened:
        CompanyosEnv(url, via=via)._opened().send(Request("GET", "/state"))
    with pytest.raises(ProxyUnusable, match="proxy in ALL_PROXY cannot be used") as asked:
        server_at(url).proxy  # noqa: B018

    assert SECRET not in f"{opened.value} {asked.value}"


@pytest.mark.parametrize("name", ["HTTPS_PROXY", "ALL_PROXY"])
def test_sockets_ask_the_proxy_that_requests_ask(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    unnamed = server_at(FAR).socket_options["proxy"]
    monkeypatch.setenv(name, f"user:{SECRET}@127.0.0.1:9")

    asked = {server_at(FAR).http_options["proxy"], server_at(FAR).socket_options["proxy"]}
    monkeypatch.setenv("NO_PROXY", "company.example")

    assert unnamed is True
    assert asked == {f"http://user:{SECRET}@127.0.0.1:9"}
    assert server_at(FAR).socket_options["proxy"] is None


def test_a_proxy_from_a_file_is_used_without_the_end_of_its_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9\r\n")

    CompanyosEnv(FAR)._opened().close()

    assert server_at(FAR).proxy == "http://127.0.0.1:9"


def test_a_socks_proxy_is_named_by_every_client(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "socks5://127.0.0.1:9")

    for opened in (
        CompanyosEnv(FAR)._opened,
        lambda: CompanyosBatch(FAR, 1),
        lambda: LiveStack(FAR),
        lambda: TextBrowser(FAR, ""),
        lambda: tools_at(FAR, ""),
    ):
        with pytest.raises(ProxyUnusable, match=r"ALL_PROXY.*pip install 'httpx\[socks\]'"):
            opened()


def test_a_proxy_on_the_way_is_named_where_no_answer_came(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")

    why = server_at(FAR).why_lost(OSError("refused"))

    assert why == "refused (by the proxy in HTTPS_PROXY; NO_PROXY names hosts without one)"
    monkeypatch.setenv("NO_PROXY", "company.example")
    assert server_at(FAR).why_lost(OSError("refused")) == "refused"


def test_a_token_from_a_file_with_a_byte_order_mark_is_the_token():
    assert access_headers("\ufeffmine\r\n") == {"Authorization": "Bearer mine"}


@pytest.mark.parametrize("value", [3, None, b"secret"])
def test_a_header_whose_value_is_no_text_is_refused_by_name_and_type(value):
    with pytest.raises(ValueError, match=f"X-Key has a value of type {type(value).__name__}") as refused:
        access_headers(None, {"X-Key": value})

    assert "secret" not in str(refused.value)
