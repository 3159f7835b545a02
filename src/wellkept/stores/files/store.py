"""The file store itself: whole operations, each in one hop to a thread."""

import asyncio
import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import ClassVar, TypeVar
from urllib.parse import unquote

from msgspec.structs import replace

from wellkept.contract.block_store import ANY, EDIT_ATTEMPTS, BlockStore, Decide, Expect, replaces
from wellkept.contract.capability import Capability
from wellkept.model.blocks import Block, BlockEdited, Change
from wellkept.model.errors import Conflict, InvalidSetting, NotSupported, StoreCorrupt
from wellkept.model.ids import TenantId
from wellkept.model.keys import BlockKey, Scope
from wellkept.stores.files import folders
from wellkept.stores.files.check import problems_under
from wellkept.stores.files.contents import decode, encode
from wellkept.stores.files.locks import Locks
from wellkept.stores.files.problems import translated
from wellkept.stores.files.spelling import read_key, scope_path, spell_id, spell_key

T = TypeVar("T")


class FileStore(BlockStore):
    """Keeps blocks as Markdown files under a root folder.

    Processes may share the root, and a person may edit the files: the next
    read sees it, and a write that did not see it is refused or decided again.
    What lies there and is not the store's own is never followed or changed;
    `check` reports it.
    """

    capabilities: ClassVar[frozenset[Capability]] = frozenset(
        {Capability.DURABLE, Capability.SHARED, Capability.HAND_EDITED}
    )

    def __init__(self, root: str | Path) -> None:
        """Keep blocks under `root`, which is made at the first write.

        Raises:
            NotSupported: The platform has no way to reach files through their folders' descriptors.
        """
        if not folders.SUPPORTED:
            raise NotSupported(what="the file store on this platform")
        self._root = Path(root).absolute()
        self._locks = Locks(self._root)

    async def get(self, key: BlockKey) -> Block | None:
        return await _hop(partial(self._get, key))

    async def get_many(self, keys: Sequence[BlockKey]) -> list[Block | None]:
        return await _hop(lambda: [self._get(key) for key in keys])

    async def put(self, block: Block, *, expect: Expect, change: Change) -> BlockEdited:
        return await _hop(lambda: self._edit(block.key, lambda _: block, expect=expect))

    async def edit(self, key: BlockKey, decide: Decide, *, change: Change, expect: Expect = ANY) -> BlockEdited:
        def decided(stored: Block | None) -> Block:
            return Block(key=key, text=decide(stored), updated_at=change.at)

        return await _hop(lambda: self._edit(key, decided, expect=expect))

    async def delete(self, key: BlockKey, *, expect: Expect = ANY, change: Change) -> bool:
        return await _hop(lambda: self._delete(key, expect))

    async def blocks(self, tenant: TenantId, scope: Scope, owner: str) -> list[Block]:
        return await _hop(lambda: self._blocks(tenant, scope, owner))

    async def purge(self, tenant: TenantId, scope: Scope, owner: str) -> int:
        return await _hop(lambda: self._purge(tenant, scope, owner))

    async def check(self) -> list[str]:
        return await _hop(self._check)

    async def facts(self) -> Mapping[str, str]:
        return {"path": str(self._root)}

    def _check(self) -> list[str]:
        with translated(writing=False):
            return problems_under(self._root)

    def _get(self, key: BlockKey) -> Block | None:
        with translated(writing=False):
            try:
                with folders.folder(self._root, _steps(key.tenant, key.scope, key.owner)) as here:
                    return _block(key, folders.read(here, spell_key(key.key)))
            except FileNotFoundError:
                return None

    def _edit(self, key: BlockKey, decide: Callable[[Block | None], Block], *, expect: Expect) -> BlockEdited:
        steps, name = _steps(key.tenant, key.scope, key.owner), spell_key(key.key)
        with translated(writing=True), self._locks.held(steps), folders.folder(self._root, steps, create=True) as here:
            for _ in range(EDIT_ATTEMPTS):
                seen = folders.read(here, name)
                stored = _block(key, seen)
                etag = stored.etag if stored else None
                block = decide(stored)
                if not replaces(stored, block.text, key=key, expect=expect) and stored is not None:
                    return BlockEdited(block=stored, changed=False, etag_before=etag)
                # The lock keeps out other stores, not a person's editor: look again before the last step.
                unseen = partial(folders.is_still, here, name, seen)
                kept = folders.write(here, name, encode(block.text), at=block.updated_at, replacing=unseen)
                if kept is not None:
                    return BlockEdited(block=replace(block, updated_at=kept), changed=True, etag_before=etag)
        raise Conflict(key=key.key, attempts=EDIT_ATTEMPTS)

    def _delete(self, key: BlockKey, expect: Expect) -> bool:
        steps, name = _steps(key.tenant, key.scope, key.owner), spell_key(key.key)
        with translated(writing=True), self._locks.held(steps):
            try:
                with folders.folder(self._root, steps) as here:
                    stored = _block(key, folders.read(here, name))
                    if not replaces(stored, None, key=key, expect=expect):
                        return False
                    folders.remove(here, name)
                    return True
            except FileNotFoundError:
                return False

    def _blocks(self, tenant: TenantId, scope: Scope, owner: str) -> list[Block]:
        with translated(writing=False):
            try:
                with folders.folder(self._root, _steps(tenant, scope, owner)) as here:
                    keys = sorted(key for name in os.listdir(here) if (key := read_key(name)) is not None)
                    found = [
                        _readable(here, BlockKey(tenant=tenant, scope=scope, owner=owner, key=key)) for key in keys
                    ]
            except FileNotFoundError:
                return []
        return [block for block in found if block is not None]

    def _purge(self, tenant: TenantId, scope: Scope, owner: str) -> int:
        steps = _steps(tenant, scope, owner)
        with translated(writing=True), self._locks.held(steps):
            try:
                with folders.folder(self._root, steps) as here:
                    names = os.listdir(here)
                    # What a cut short write left over holds a text, too.
                    taken = [name for name in names if _is_ours(name) and _take(here, name)]
            except FileNotFoundError:
                return 0
            if len(taken) == len(names):
                folders.remove_folder(self._root, steps)
            return sum(read_key(name) is not None for name in taken)


async def open(url: str) -> FileStore:
    """Open `files:///absolute/root` or `files://relative/root`.

    Raises:
        InvalidSetting: The URL names no root.
    """
    root = unquote(url.partition("://")[2])
    if not root:
        raise InvalidSetting(
            setting="the store's files:// URL",
            problem="names no root folder",
            do="write files:///absolute/path or files://relative/path",
        )
    return FileStore(root)


async def _hop(work: Callable[[], T]) -> T:
    """Run a whole operation in a worker thread. A caller that is cancelled leaves it to finish: never half of it."""
    return await asyncio.to_thread(work)


def _steps(tenant: TenantId, scope: Scope, owner: str) -> tuple[str, ...]:
    return (*scope_path(tenant, scope), spell_id(owner))


def _is_ours(name: str) -> bool:
    return read_key(name) is not None or name.startswith(folders.BESIDE)


def _take(here: int, name: str) -> bool:
    """Remove a file, damaged or not, or a link; say whether it is gone. A folder stays."""
    try:
        if folders.is_folder(here, name):
            return False
        folders.remove(here, name)
    except FileNotFoundError:
        pass  # A person was faster.
    return True


def _block(key: BlockKey, file: folders.Written | None) -> Block | None:
    if file is None:
        return None
    return Block(key=key, text=decode(file.data, file=spell_key(key.key)), updated_at=file.at)


def _readable(here: int, key: BlockKey) -> Block | None:
    """Read a block for a list, which leaves out what is damaged or foreign; `check` reports it."""
    try:
        with translated(writing=False):
            return _block(key, folders.read(here, spell_key(key.key)))
    except StoreCorrupt:
        return None
