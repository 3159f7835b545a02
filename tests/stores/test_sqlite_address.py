"""URLs of SQLite stores, and the files that they make."""

import os
from pathlib import Path

import pytest

from wellkept.model.errors import Misconfigured
from wellkept.stores import sqlite
from wellkept.stores.sqlite.address import Address, parse


@pytest.mark.parametrize(
    ("address", "path"),
    [
        ("sqlite:///memory.db", "{here}/memory.db"),
        ("sqlite:///data/memory.db", "{here}/data/memory.db"),
        ("sqlite:////var/lib/memory.db", "/var/lib/memory.db"),
        ("sqlite:///~/memory.db", "{home}/memory.db"),
        ("sqlite:////tmp/a%20b%3F%23c.db", "/tmp/a b?#c.db"),
        ("sqlite:////tmp/a b.db", "/tmp/a b.db"),
        ("sqlite:////tmp/用户.db", "/tmp/用户.db"),
    ],
)
def test_a_url_names_a_file(address: str, path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", "/home/maya")
    assert parse(address) == Address(path=Path(path.format(here=tmp_path, home="/home/maya")))


def test_options_follow_the_path() -> None:
    address = parse("sqlite:////x.db?synchronous=normal&timeout=5")
    assert (address.path, address.synchronous, address.timeout) == (Path("/x.db"), "normal", 5)


@pytest.mark.parametrize(
    "address",
    [
        "sqlite:",
        "sqlite://",
        "sqlite:///",
        "sqlite:////",
        "sqlite://memory.db",
        "sqlite:memory.db",
        "postgresql:///memory.db",
        "sqlite:///:memory:",
        "sqlite:///x.db?mode=ro",
        "sqlite:///x.db?synchronous=off",
        "sqlite:///x.db?timeout=-1",
        "sqlite:///x.db?timeout=",
    ],
)
def test_what_names_no_file_says_how_to(address: str) -> None:
    with pytest.raises(Misconfigured, match=r"sqlite:///|inproc://|the options are"):
        parse(address)


@pytest.mark.parametrize("name", ["plain.db", "a b?#%20.db", "用户1.db", "-.db"])
async def test_any_name_can_be_a_file(tmp_path: Path, name: str) -> None:
    quoted = name.replace("%", "%25").replace("?", "%3F").replace("#", "%23")
    store = await sqlite.open(f"sqlite:///{tmp_path}/{quoted}")
    await store.ready()
    await store.close()
    assert os.listdir(tmp_path) == [name]


async def test_file_and_folder_are_their_owners_alone(tmp_path: Path) -> None:
    store = await sqlite.open(f"sqlite:///{tmp_path}/a/b/wellkept.db")
    await store.ready()
    files = {file.name: file.stat().st_mode & 0o777 for file in (tmp_path / "a" / "b").iterdir()}
    assert files == {"wellkept.db": 0o600, "wellkept.db-wal": 0o600, "wellkept.db-shm": 0o600}
    assert (tmp_path / "a" / "b").stat().st_mode & 0o777 == 0o700
    await store.close()


async def test_opening_leaves_permissions_that_are_there(tmp_path: Path) -> None:
    file = tmp_path / "wellkept.db"
    file.touch(0o640)
    file.chmod(0o640)
    tmp_path.chmod(0o750)
    store = await sqlite.open(f"sqlite:///{file}")
    await store.close()
    assert (file.stat().st_mode & 0o777, tmp_path.stat().st_mode & 0o777) == (0o640, 0o750)
