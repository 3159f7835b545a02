"""What lies in the file store's folders and is not ours: links, pipes, bytes that are no text, names of others."""

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from wellkept.contract.block_store import ANY
from wellkept.model.errors import (
    StoreCorrupt,
)
from wellkept.model.ids import DEFAULT_TENANT
from wellkept.stores.files import FileStore, contents, folders
from wellkept.testing.samples import OTHER_TENANT, a_block, a_change, a_key


def a_link(path: Path) -> None:
    path.symlink_to(path.parents[3] / "secret")


def a_dangling_link(path: Path) -> None:
    path.symlink_to("/nowhere")


def a_folder(path: Path) -> None:
    path.mkdir()


def a_pipe(path: Path) -> None:
    os.mkfifo(path)


def a_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as opened:
        here = os.getcwd()
        os.chdir(path.parent)  # A socket's path must be short.
        try:
            opened.bind(path.name)
        finally:
            os.chdir(here)


def bytes_that_are_no_text(path: Path) -> None:
    path.write_bytes(b"caf\xe9")


def a_null(path: Path) -> None:
    path.write_bytes(b"a\x00b")


def an_encoded_surrogate(path: Path) -> None:
    path.write_bytes(b"\xed\xa0\x80")


def utf_16(path: Path) -> None:
    path.write_bytes("text".encode("utf-16"))


def a_huge_file(path: Path) -> None:
    path.write_bytes(b"x" * (contents.MOST_BYTES + 1))


HOSTILE = [
    a_link,
    a_dangling_link,
    a_folder,
    a_pipe,
    a_socket,
    bytes_that_are_no_text,
    a_null,
    an_encoded_surrogate,
    utf_16,
    a_huge_file,
]


@pytest.mark.parametrize("make", HOSTILE, ids=lambda make: make.__name__)
async def test_a_hostile_file_is_reported_skipped_and_left_alone(
    files: FileStore, user_file: Path, tmp_path: Path, make: Callable[[Path], None]
) -> None:
    (tmp_path / "secret").write_text("secret")
    foreign = user_file.with_name("FOREIGN.md")
    make(foreign)
    before = foreign.lstat()
    key = a_key("FOREIGN")
    with pytest.raises(StoreCorrupt) as caught:
        await files.get(key)
    assert "secret" not in str(caught.value)
    for refused in (
        files.put(a_block("x", key=key), expect=ANY, change=a_change()),
        files.edit(key, lambda _: "x", change=a_change()),
        files.delete(key, change=a_change()),
    ):
        with pytest.raises(StoreCorrupt):
            await refused
    assert await files.blocks(DEFAULT_TENANT, "user", "maya") == [a_block()]
    (problem,) = await files.check()
    assert problem.startswith("user/maya/FOREIGN.md: ")
    after = foreign.lstat()
    assert (after.st_ino, after.st_size, after.st_mtime_ns) == (before.st_ino, before.st_size, before.st_mtime_ns)
    assert (tmp_path / "secret").read_text() == "secret"


@pytest.mark.parametrize("steps", [("user",), ("user", "maya"), ("@tenants",), ("@tenants", "ten_other")])
@pytest.mark.parametrize("kind", ["a link", "a file"])
async def test_a_folder_that_is_none_is_never_entered(
    files: FileStore, root: Path, tmp_path: Path, steps: tuple[str, ...], kind: str
) -> None:
    outside = tmp_path / "outside"
    for below in ("", "maya", "user/maya", "ten_other/user/maya"):
        (outside / below).mkdir(parents=True, exist_ok=True)
        (outside / below / "USER.md").write_text("outside")
    place = root.joinpath(*steps)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.symlink_to(outside) if kind == "a link" else place.write_text("x")
    key = a_key(tenant=OTHER_TENANT if "@tenants" in steps else DEFAULT_TENANT)
    for refused in (
        files.get(key),
        files.put(a_block(key=key), expect=ANY, change=a_change()),
        files.delete(key, change=a_change()),
        files.blocks(key.tenant, "user", "maya"),
        files.purge(key.tenant, "user", "maya"),
    ):
        with pytest.raises(StoreCorrupt):
            await refused
    (problem,) = await files.check()
    assert problem.startswith("/".join(steps) + ": ")
    assert {path.read_text() for path in outside.rglob("*.md")} == {"outside"}


async def test_a_lock_folder_that_is_a_link_is_not_entered(files: FileStore, root: Path, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    root.mkdir()
    (root / ".locks").symlink_to(tmp_path / "outside")
    with pytest.raises(StoreCorrupt):
        await files.put(a_block(), expect=None, change=a_change())
    assert list((tmp_path / "outside").iterdir()) == []


async def test_a_root_may_be_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    await FileStore(tmp_path / "link").put(a_block(), expect=None, change=a_change())
    assert await FileStore(tmp_path / "real").get(a_key()) == a_block()


async def test_names_that_are_not_ours_are_reported_and_left_alone(
    files: FileStore, root: Path, user_file: Path
) -> None:
    foreign = [
        "README.txt",
        "@tenants/default/user/maya/USER.md",
        "user/Maya/USER.md",
        "user/notes.txt~",
        "user/maya/user.md",
        "user/maya/USER.MD",
        "user/maya/.USER.md.swp",
        "user/maya/.DS_Store",
        "user/maya/USER.md~",
        "user/maya/bell\x07.md",
    ]
    for name in foreign:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("theirs")
    (root / "user/maya" / os.fsdecode(b"caf\xe9.md")).write_text("theirs")
    assert await files.blocks(DEFAULT_TENANT, "user", "maya") == [a_block()]
    assert await files.get(a_key("user")) is None
    problems = await files.check()
    assert {problem.partition(": ")[0] for problem in problems} == {
        "README.txt",
        "@tenants/default",
        "user/Maya",
        "user/notes.txt~",
        "user/maya/user.md",
        "user/maya/USER.MD",
        "user/maya/.USER.md.swp",
        "user/maya/.DS_Store",
        "user/maya/USER.md~",
        r"'user/maya/bell\x07.md'",
        r"'user/maya/caf\udce9.md'",
    }
    assert all(problem.isprintable() for problem in problems)
    assert await files.purge(DEFAULT_TENANT, "user", "maya") == 1
    assert (root / "user/maya/.DS_Store").read_text() == "theirs"


async def test_a_purge_leaves_no_trace_of_the_owner(files: FileStore, root: Path, user_file: Path) -> None:
    (user_file.parent / f"{folders.BESIDE}0123").write_text("cut short")
    assert [problem.partition(": ")[0] for problem in await files.check()] == [f"user/maya/{folders.BESIDE}0123"]
    assert await files.purge(DEFAULT_TENANT, "user", "maya") == 1
    assert not user_file.parent.exists()
    assert not [path for path in root.rglob("*") if "maya" in path.name]


async def test_a_purge_takes_damaged_files_too(files: FileStore, user_file: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    bytes_that_are_no_text(user_file.with_name("BAD.md"))
    a_link(user_file.with_name("LINK.md"))
    assert await files.purge(DEFAULT_TENANT, "user", "maya") == 3
    assert not user_file.parent.exists()
    assert (tmp_path / "secret").read_text() == "secret"


async def test_a_purge_goes_on_past_what_it_cannot_take(files: FileStore, user_file: Path) -> None:
    (user_file.with_name("A.md") / "theirs").mkdir(parents=True)
    await files.put(a_block(key=a_key("Z")), expect=None, change=a_change())
    assert await files.purge(DEFAULT_TENANT, "user", "maya") == 2
    assert sorted(path.name for path in user_file.parent.iterdir()) == ["A.md"]


async def test_a_root_that_is_no_folder_is_refused(files: FileStore, root: Path) -> None:
    root.write_text("a file")
    for refused in (files.get(a_key()), files.check(), files.put(a_block(), expect=ANY, change=a_change())):
        with pytest.raises(StoreCorrupt):
            await refused
    assert root.read_text() == "a file"
