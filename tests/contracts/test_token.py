"""A stack behind a token: the client brings it, by parameter, by environment, or by finding the stack."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from companyos import CompanyosEnv
from companyos.client import TOKEN_VARIABLE, AsyncCompanyosEnv, TokenRefused, Via
from companyos.embedded.detached import running_stack
from companyos.embedded.home import Home

TOKEN = "a-token-for-the-trainer"
WAYS = list(Via)


@pytest.fixture(scope="module")
def locked_home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    return Home.at(tmp_path_factory.mktemp("locked"))


@pytest.fixture(scope="module")
def locked(locked_home: Home) -> Iterator[str]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(TOKEN_VARIABLE, TOKEN)
        with running_stack(locked_home) as stack:
            patch.delenv(TOKEN_VARIABLE)
            yield stack.url


@pytest.mark.parametrize("via", WAYS)
def test_the_token_is_given(locked: str, via: Via) -> None:
    with CompanyosEnv(locked, token=TOKEN, via=via) as env:
        assert env.reset().done is False


@pytest.mark.parametrize("via", WAYS)
async def test_the_token_is_taken_from_the_environment(
    locked: str, via: Via, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(TOKEN_VARIABLE, TOKEN)

    async with AsyncCompanyosEnv(locked, via=via) as env:
        assert (await env.reset()).done is False


@pytest.mark.parametrize("via", WAYS)
@pytest.mark.parametrize("token", [None, "wrong"])
def test_a_wrong_token_is_refused_with_the_name_of_the_setting(
    locked: str, via: Via, token: str | None
) -> None:
    with CompanyosEnv(locked, token=token, via=via) as env, pytest.raises(TokenRefused, match=TOKEN_VARIABLE):
        env.reset()


def test_a_local_stack_lends_its_token(
    locked: str, locked_home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COMPANYOS_HOME", str(locked_home.path))

    with CompanyosEnv.local() as env:
        assert env.base_url == locked
        assert env.reset().done is False
