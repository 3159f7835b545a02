"""`WELLKEPT_BLOCKS=redis://…`: a server puts its blocks there, and says what the server may lose."""

from pathlib import Path

import pytest

import redis_server
from command_line import say, serving


def test_a_server_puts_blocks_into_redis(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with redis_server.serving() as redis, redis.client(decode_responses=True) as raw:
        monkeypatch.setenv("WELLKEPT_BLOCKS", redis.url)
        with serving("--store", f"sqlite:///{tmp_path}/data.db") as served:
            assert served.key is not None
            door = ("--server", served.url, "--api-key", served.key)
            assert say("blocks", "set", "USER", "--text", "likes tea", "--owner", "user-42", *door).code == 0
            (key,) = raw.keys("wm@*:user:user-42:USER")
            assert raw.hget(key, "text") == "likes tea"
            said = say("blocks", "show", "USER", "--owner", "user-42", *door)
            assert "likes tea" in said.out


def test_doctor_says_what_the_server_may_lose(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with redis_server.serving("--appendonly", "no", "--maxmemory", "1gb", "--maxmemory-policy", "allkeys-lru") as redis:
        monkeypatch.setenv("WELLKEPT_BLOCKS", redis.url)
        said = say("doctor", "--store", f"sqlite:///{tmp_path}/data.db")
        assert "OFF: appendonly is no" in said.out
        assert "ON: data are thrown away" in said.out
        assert "Valkey" in said.out
        with redis.client() as raw:
            raw.set("wm:user:maya:USER", "of somebody else")
        said = say("doctor", "--store", f"sqlite:///{tmp_path}/data.db")
        assert (said.code, "wm:user:maya:USER: cannot be read" in said.out) == (1, True)
