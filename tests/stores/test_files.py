"""What the file store keeps beyond the contract: a person's edits, and failing disks."""

import asyncio
import errno
import os
import resource
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
    StoreFailed,
    StoreFull,
    StoreReadOnly,
    StoreUnavailable,
)
from wellkept.model.ids import DEFAULT_TENANT
from wellkept.stores.files import FileStore, contents, folders, open
from wellkept.testing.samples import OTHER_TENANT, a_block, a_change, a_key

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
