"""The model of a disk: what may be there after a power cut, and what must be."""

import os
from pathlib import Path

from trials.power.calls import Killed, Made, Recorder, Removed, Renamed, Synced, Wrote
from trials.power.disk import BASE, Disk, File, Tree

NEW = Made(BASE, "new", 1, False)


def disk(*calls: Made | Wrote | Renamed | Removed | Synced) -> set[Tree]:
    made = Disk()
    for call in calls:
        made.do(call)
    return set(made.states())


def files(*named: tuple[str, bytes]) -> Tree:
    return tuple((name, File(data, 0)) for name, data in named)


def test_without_a_sync_everything_may_be_lost() -> None:
    assert disk(NEW, Wrote(1, b"text")) == {
        (),
        *(files(("new", data)) for data in (b"", b"te", bytes(4), b"text")),
    }


def test_a_synced_file_may_still_have_no_name() -> None:
    assert disk(NEW, Wrote(1, b"text"), Synced(1)) == {(), files(("new", b"text"))}


def test_a_synced_folder_may_still_lead_to_half_a_file() -> None:
    assert files(("new", b"te")) in disk(NEW, Wrote(1, b"text"), Synced(BASE))


def test_what_was_synced_twice_is_there() -> None:
    assert disk(NEW, Wrote(1, b"text"), Synced(1), Synced(BASE)) == {files(("new", b"text"))}


def test_a_rename_leaves_the_old_file_or_the_new_one() -> None:
    old = [Made(BASE, "name", 2, False), Wrote(2, b"old"), Synced(2), Synced(BASE)]
    states = disk(*old, NEW, Wrote(1, b"text"), Synced(1), Renamed(BASE, "new", "name", 1))
    assert {dict(state)["name"] for state in states} == {File(b"old", 0), File(b"text", 0)}
    assert files(("name", b"text"), ("new", b"text")) in states


def test_changes_of_names_may_be_kept_in_another_order() -> None:
    states = disk(Made(BASE, "a", 1, False), Synced(1), Made(BASE, "b", 2, False), Synced(2))
    assert files(("b", b"")) in states


def test_a_folder_in_a_lost_folder_is_lost() -> None:
    below = [Made(BASE, "folder", 1, True), Made(1, "file", 2, False), Wrote(2, b"text"), Synced(2), Synced(1)]
    assert disk(*below) == {(), (("folder", files(("file", b"text"))),)}


def test_calls_are_recorded_and_stopped(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path)
    outside = tmp_path.parent / f"{tmp_path.name} beside"
    with recorder.on():
        (tmp_path / "folder").mkdir()
        outside.mkdir()
        here = os.open(tmp_path / "folder", os.O_RDONLY)
        file = os.open("a", os.O_CREAT | os.O_WRONLY, 0o600, dir_fd=here)
        with os.fdopen(file, "wb") as opened:
            opened.write(b"te")
            opened.write(b"xt")
            opened.flush()
            os.fsync(file)
        os.replace("a", "b", src_dir_fd=here, dst_dir_fd=here)
        recorder.left = 0
        try:
            os.unlink("b", dir_fd=here)
        except Killed:
            pass
        os.close(here)
    made = [Made(0, "folder", 1, True), Made(1, "a", 2, False), Wrote(2, b"text"), Synced(2), Renamed(1, "a", "b", 2)]
    assert recorder.events == made
    assert (tmp_path / "folder" / "b").read_bytes() == b"text"
