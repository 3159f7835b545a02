"""What a disk may hold after the power failed: what was made to last, and any part of what was not.

* What was written to a file since it was synced may be there, half there, missing, or there in length only (zeros).
* The changes of names in a folder since it was synced may each be there or not, whatever order they were made in.
* A rename is one change: the new name leads to the old file or to the new one. That the old name goes is another.
* To sync a file says nothing about its name, and to sync a folder nothing about its own name in the folder above.

This is less than most file systems promise, and what POSIX lets them do.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import NamedTuple

from trials.power.calls import Call, Made, Node, Removed, Renamed, Stamped, Synced, Wrote

BASE: Node = 0
MOST = 20_000
"""States of one moment. More is a reason to record less at once, not to look at some of them only."""


class File(NamedTuple):
    """A file's bytes, and the time of its last change (0: whenever the bytes were written)."""

    data: bytes
    nanoseconds: int


Tree = tuple[tuple[str, "File | Tree"], ...]
"""What lies in a folder, sorted by name."""

Names = Mapping[str, Node]
Change = tuple[tuple[str, Node | None], ...]
"""Names that come to lead to a node, or to nothing."""


class Disk:
    """A disk, as the calls leave it."""

    def __init__(self) -> None:
        self._names: dict[Node, dict[str, Node]] = {BASE: {}}
        self._changes: dict[Node, list[Sequence[Change]]] = {BASE: []}
        self._files: dict[Node, File] = {}
        self._written: dict[Node, list[Wrote | Stamped]] = {}

    def do(self, call: Call) -> None:
        """Let a call happen."""
        match call:
            case Made(folder, name, node, is_folder):
                if is_folder:
                    self._names[node], self._changes[node] = {}, []
                else:
                    self._files[node], self._written[node] = File(b"", 0), []
                self._changes[folder].append([(), ((name, node),)])
            case Renamed(folder, old, new, node):
                self._changes[folder].append([(), ((new, node),), ((new, node), (old, None))])
            case Removed(folder, name):
                self._changes[folder].append([(), ((name, None),)])
            case Wrote() | Stamped():
                self._written[call.node].append(call)
            case Synced(node) if node in self._names:
                for options in self._changes[node]:
                    self._names[node] = _changed(self._names[node], options[-1])
                self._changes[node] = []
            case Synced(node):
                self._files[node] = self._whole(node)
                self._written[node] = []

    def states(self) -> Iterator[Tree]:
        """Give every state that the power may leave behind now, each once.

        Raises:
            RuntimeError: There are more than `MOST`.
        """
        seen: set[Tree] = set()
        folders = {node: self._folders(node) for node in self._names}
        count = 1
        for options in folders.values():
            count *= len(options)
        if count > MOST:
            raise RuntimeError(f"{count} states of one moment")
        for chosen in product(*folders.values()):
            names = dict(zip(folders, chosen, strict=True))
            loose = [node for node in _reachable(names) if self._written.get(node)]
            for contents in product(*(self._contents(node) for node in loose)):
                tree = self._tree(BASE, names, dict(zip(loose, contents, strict=True)))
                if tree not in seen:
                    seen.add(tree)
                    yield tree

    def _folders(self, node: Node) -> list[Names]:
        """Give all that a folder may list."""
        found: list[Names] = []
        for chosen in product(*self._changes[node]):
            names: Names = self._names[node]
            for change in chosen:
                names = _changed(names, change)
            if names not in found:
                found.append(names)
        return found

    def _contents(self, node: Node) -> list[File]:
        """Give all that a file may hold."""
        old, new = self._files[node], self._whole(node)
        more = new.data[len(old.data) :]
        datas = [old.data, old.data + more[: len(more) // 2], old.data + bytes(len(more)), new.data]
        return list(dict.fromkeys(File(data, time) for data in datas for time in (old.nanoseconds, new.nanoseconds)))

    def _whole(self, node: Node) -> File:
        file = self._files[node]
        for written in self._written[node]:
            if isinstance(written, Wrote):
                file = File(file.data + written.data, file.nanoseconds)
            else:
                file = File(file.data, written.nanoseconds)
        return file

    def _tree(self, node: Node, names: Mapping[Node, Names], loose: Mapping[Node, File]) -> Tree:
        return tuple(
            (name, self._tree(below, names, loose) if below in names else loose.get(below) or self._files[below])
            for name, below in sorted(names[node].items())
        )


def _changed(names: Names, change: Change) -> dict[str, Node]:
    after = dict(names)
    for name, node in change:
        if node is None:
            after.pop(name, None)
        else:
            after[name] = node
    return after


def _reachable(names: Mapping[Node, Names]) -> list[Node]:
    found: dict[Node, None] = {}
    ahead = [BASE]
    while ahead:
        node = ahead.pop()
        if node not in found:
            found[node] = None
            ahead += names.get(node, {}).values()
    return list(found)
