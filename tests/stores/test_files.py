"""What the file store keeps beyond the contract: a person's edits, hostile files, failing disks."""

import asyncio
import errno
import os
import resource
import socket
import stat
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from wellkept.contract.block_store import ANY
from wellkept.model.blocks import Block
from wellkept.model.errors import (
    Conflict,
    InvalidInput,
    Misconfigured,
    StoreCorrupt,
    StoreFailed,
    StoreFull,
    StoreReadOnly,
    StoreUnavailable,
)
from wellkept.model.ids import DEFAULT_TENANT
from wellkept.stores.files import FileStore, contents, folders, open
from wellkept.testing.samples import OTHER_TENANT, a_block, a_change, a_key


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "blocks"


@pytest.fixture
def files(root: Path) -> FileStore:
    return FileStore(root)


@pytest.fixture
async def user_file(files: FileStore, root: Path) -> Path:
    """Store the sample block and name its file."""
    await files.put(a_block(), expect=None, change=a_change())
    return root / "user" / "maya" / "USER.md"


# ---- opening


@pytest.mark.parametrize("template", ["files://{root}", "files://{root}/", "files://{root}/a%20b"])
async def test_a_url_names_the_root(tmp_path: Path, template: str) -> None:
    url = template.format(root=tmp_path / "r")
    store = await open(url)
    await store.put(a_block(), expect=None, change=a_change())
    below = "a b/user" if "%20" in url else "user"
    assert (tmp_path / "r" / below / "maya" / "USER.md").read_bytes() == b"Likes tea."


async def test_a_url_may_name_a_root_from_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    store = await open("files://here/below")
    monkeypatch.chdir("/")  # The root stays where it was when the store was opened.
    await store.put(a_block(), expect=None, change=a_change())
    assert (tmp_path / "here/below/user/maya/USER.md").exists()


async def test_a_url_without_a_root_is_refused() -> None:
    with pytest.raises(Misconfigured):
        await open("files://")


async def test_reading_makes_nothing(files: FileStore, root: Path) -> None:
    assert await files.get(a_key()) is None
    assert await files.blocks(DEFAULT_TENANT, "user", "maya") == []
    assert await files.check() == []
    assert not root.exists()


async def test_files_are_for_their_owner_alone(files: FileStore, root: Path) -> None:
    old = os.umask(0)
    try:
        await files.put(a_block(key=a_key(tenant=OTHER_TENANT)), expect=None, change=a_change())
    finally:
        os.umask(old)
    for path in [root, *root.rglob("*")]:
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path


# ---- a person's edits


async def test_an_edit_by_hand_is_seen_at_the_next_read(files: FileStore, user_file: Path) -> None:
    user_file.write_bytes("Likes coffee.\r\n\ufeff".encode())
    os.utime(user_file, ns=(0, 1_700_000_000_123_456_789))
    stored = await files.get(a_key())
    assert stored is not None
    assert stored.text == "Likes coffee.\r\n\ufeff"
    assert stored.updated_at == datetime(2023, 11, 14, 22, 13, 20, 123456, tzinfo=UTC)
    (user_file.parent / "NOTES.md").write_text("new")
    assert [block.key.key for block in await files.blocks(DEFAULT_TENANT, "user", "maya")] == ["NOTES", "USER"]
    user_file.unlink()
    assert await files.get(a_key()) is None


async def test_an_edit_by_hand_is_never_overwritten_unseen(files: FileStore, user_file: Path) -> None:
    read = await files.get(a_key())
    assert read is not None
    user_file.write_text("by hand")
    with pytest.raises(Conflict):
        await files.put(a_block("by the agent"), expect=read.etag, change=a_change())
    assert user_file.read_text() == "by hand"


async def test_an_edit_by_hand_while_one_is_decided_is_seen(files: FileStore, user_file: Path) -> None:
    def decide(stored: Block | None) -> str:
        assert stored is not None
        if stored.text == "Likes tea.":
            user_file.write_text("by hand")  # Somebody saves the file between reading and writing.
        return f"{stored.text}\nby the agent"

    edited = await files.edit(a_key(), decide, change=a_change())
    assert user_file.read_text() == edited.block.text == "by hand\nby the agent"
    assert await files.check() == []


async def test_a_file_that_is_saved_again_and_again_is_left_to_the_person(files: FileStore, user_file: Path) -> None:
    saves = 0

    def decide(stored: Block | None) -> str:
        nonlocal saves
        saves += 1
        user_file.write_text(f"save {saves}")
        return "by the agent"

    with pytest.raises(Conflict):
        await files.edit(a_key(), decide, change=a_change())
    assert user_file.read_text() == f"save {saves}"
    assert await files.check() == []


async def test_stores_take_turns_from_reading_to_replacing(
    files: FileStore, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The moment before a file is replaced is too short for a race to be met by chance: make it longer."""
    replacing = os.replace

    def slowly(*args: str, **kwargs: int) -> None:
        time.sleep(0.01)
        replacing(*args, **kwargs)

    monkeypatch.setattr(folders.os, "replace", slowly)
    stores = [files, FileStore(root)]  # The second has a queue of its own, as in another process.

    def appending(line: str) -> Callable[[Block | None], str]:
        return lambda stored: f"{stored.text}\n{line}" if stored else line

    await asyncio.gather(*(stores[n % 2].edit(a_key(), appending(str(n)), change=a_change()) for n in range(12)))
    stored = await files.get(a_key())
    assert stored is not None
    assert sorted(stored.text.split("\n"), key=int) == [str(number) for number in range(12)]


# ---- what is not ours


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


# ---- failing disks


async def test_a_full_disk_changes_nothing(files: FileStore, user_file: Path) -> None:
    """The system's limit on the size of files stands in for the disk: the write fails half way, as on a full one."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, limits[1]))
    try:
        with pytest.raises(StoreFull) as caught:
            await files.put(a_block("x" * 100_000), expect=ANY, change=a_change())
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert isinstance(caught.value.__cause__, OSError)
    assert await files.get(a_key()) == a_block()
    assert await files.check() == []


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (errno.ENOSPC, StoreFull),
        (errno.EDQUOT, StoreFull),
        (errno.EROFS, StoreReadOnly),
        (errno.EACCES, StoreReadOnly),
        (errno.EPERM, StoreReadOnly),
        (errno.EIO, StoreUnavailable),
        (errno.EMFILE, StoreUnavailable),
    ],
    ids=lambda value: errno.errorcode[value] if isinstance(value, int) else "",
)
@pytest.mark.parametrize("call", ["open", "fsync", "replace"])
async def test_a_refused_write_changes_nothing_and_says_why(
    files: FileStore,
    user_file: Path,
    monkeypatch: pytest.MonkeyPatch,
    call: str,
    number: int,
    expected: type[StoreFailed],
) -> None:
    real = getattr(os, call)

    def refuse(*args: object, **kwargs: object) -> object:
        if call == "open" and not int(str(args[1])) & os.O_CREAT:
            return real(*args, **kwargs)
        raise OSError(number, os.strerror(number))

    with monkeypatch.context() as patch:
        patch.setattr(folders.os, call, refuse)
        with pytest.raises(expected) as caught:
            await files.put(a_block("new"), expect=ANY, change=a_change())
    assert isinstance(caught.value.__cause__, OSError)
    assert await files.get(a_key()) == a_block()
    assert await files.check() == []
    assert (await files.put(a_block("new"), expect=ANY, change=a_change())).changed


async def test_what_may_not_be_read_is_no_missing_block(
    files: FileStore, user_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.open

    def refuse(path: str, flags: int, *args: int, **kwargs: int) -> int:
        if path == "USER.md":
            raise PermissionError(errno.EACCES, "refused")
        return real(path, flags, *args, **kwargs)

    monkeypatch.setattr(folders.os, "open", refuse)
    for refused in (files.get(a_key()), files.blocks(DEFAULT_TENANT, "user", "maya")):
        with pytest.raises(StoreUnavailable):
            await refused
    (problem,) = await files.check()
    assert problem == "user/maya/USER.md: cannot be read: EACCES"


async def test_a_text_that_could_not_be_read_again_is_not_written(files: FileStore, user_file: Path) -> None:
    with pytest.raises(InvalidInput):
        await files.put(a_block("x" * (contents.MOST_BYTES + 1)), expect=ANY, change=a_change())
    assert await files.get(a_key()) == a_block()


async def test_a_lock_that_is_never_given_back_is_reported(
    files: FileStore, user_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from filelock import FileLock

    from wellkept.stores.files import locks

    monkeypatch.setattr(locks, "_PATIENCE", 0.05)
    held = [FileLock(path) for path in (user_file.parents[2] / ".locks").iterdir()]
    for lock in held:
        lock.acquire()
    try:
        with pytest.raises(StoreUnavailable):
            await files.put(a_block("new"), expect=ANY, change=a_change())
        assert await files.get(a_key()) == a_block()  # Reading waits for nobody.
    finally:
        for lock in held:
            lock.release()
    assert (await files.put(a_block("new"), expect=ANY, change=a_change())).changed


async def test_a_time_that_no_clock_shows_does_not_hide_a_block(files: FileStore, user_file: Path) -> None:
    for seconds in (-(2**31), 2**33):
        os.utime(user_file, (seconds, seconds))
        assert await files.get(a_key()) is not None
