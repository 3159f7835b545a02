"""Power loss: what was acknowledged is there, and every block is the old one or the new, in every state of the disk.

The system calls that the file store makes are recorded. After each of them, every state that they allow the disk to be
left in (`disk.py`) is laid out in a folder, and opened with the store.
"""

import asyncio
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from trials.places import Place
from trials.power.calls import Answered, Began
from trials.power.disk import Disk, File, Tree
from trials.power.stories import MINE, ROOT, Story, stories
from trials.report import Report
from wellkept.contract.block_store import ANY
from wellkept.model.blocks import Block
from wellkept.model.errors import WellkeptError
from wellkept.model.keys import BlockKey
from wellkept.stores.files import FileStore
from wellkept.stores.files.folders import BESIDE
from wellkept.testing.samples import a_change, at

_MEMORY = Path("/dev/shm")  # folders of our own in it need no disk
_CUT_SHORT = "left over from a write that was cut short"


class _Counts:
    def __init__(self) -> None:
        self.stories = self.calls = self.states = self.reads = self.left_over = 0


def run(place: Place, *, count: int, seconds: float) -> Report:
    """Look at all states of the first `count` stories."""
    counts, wrong = _Counts(), list[str]()
    with tempfile.TemporaryDirectory(prefix="wk-power-", dir=_MEMORY if _MEMORY.is_dir() else None) as folder:
        for story, _ in zip(stories(), range(count), strict=False):
            counts.stories += 1
            wrong += asyncio.run(_differences(story, Path(folder) / "state", counts))
    return Report(
        trial="power",
        store=place.name,
        figures={
            "recordings": counts.stories,
            "system calls after which the power failed": counts.calls,
            "different states of the disk": counts.states,
            "blocks looked at": counts.reads,
            "files left over, skipped and reported": counts.left_over,
        },
        wrong=wrong,
    )


Allowed = Mapping[BlockKey, set[str | None]]


async def _differences(story: Story, folder: Path, counts: _Counts) -> list[str]:
    """Let the power fail after each call of a story."""
    disk = Disk()
    allowed: dict[BlockKey, set[str | None]] = {key: {None} for one in story.operations for key in one.keys}
    seen: set[tuple[Tree, frozenset[tuple[BlockKey, frozenset[str | None]]]]] = set()
    wrong: list[str] = []
    for number, event in enumerate(story.events):
        match event:
            case Began(operation):
                for key in story.operations[operation].keys:
                    allowed[key] = {*allowed[key], story.operations[operation].text}
            case Answered(operation):
                for key in story.operations[operation].keys:
                    allowed[key] = {story.operations[operation].text}
            case _:
                disk.do(event)
        if number < story.begin:
            continue
        counts.calls += not isinstance(event, Began | Answered)
        must = frozenset((key, frozenset(texts)) for key, texts in allowed.items())
        for tree in disk.states():
            if (tree, must) not in seen:
                seen.add((tree, must))
                counts.states += 1
                wrong += [
                    f"{story.name}, event {number}: {line}" for line in await _look(tree, allowed, folder, counts)
                ]
    return wrong


async def _look(tree: Tree, allowed: Allowed, folder: Path, counts: _Counts) -> list[str]:
    """Lay out a state, and say what the store makes of it that it should not."""
    _lay_out(tree, folder)
    try:
        store = FileStore(folder / ROOT)
        wrong: list[str] = []
        for key, texts in allowed.items():
            counts.reads += 1
            block = await store.get(key)
            text = block.text if block else None
            if text not in texts:
                wrong.append(f"{_named(key)} is {_told(text)} instead of {' or '.join(map(_told, texts))}")
            listed = [one.text for one in await store.blocks(key.tenant, key.scope, key.owner) if one.key == key]
            if listed != ([] if text is None else [text]):
                wrong.append(f"{_named(key)} is read as {_told(text)}, and listed otherwise")
        left_over = sum(path.name.startswith(BESIDE) for path in folder.rglob("*"))  # noqa: ASYNC240  in memory
        problems = await store.check()
        counts.left_over += left_over
        if len(problems) != left_over or not all(_CUT_SHORT in line for line in problems):
            wrong.append(f"{left_over} files left over, and the store reports {problems}")
        block = Block(key=MINE, text="written afterwards", updated_at=at())
        await store.put(block, expect=ANY, change=a_change())
        if await store.get(MINE) is None:
            wrong.append("the next write is not there")
        return wrong
    except WellkeptError as error:
        return [f"{type(error).__name__}: {error.message}"]
    finally:
        shutil.rmtree(folder)


def _lay_out(tree: Tree, folder: Path) -> None:
    folder.mkdir(mode=0o700)
    for name, below in tree:
        if isinstance(below, File):
            (folder / name).write_bytes(below.data)
        else:
            _lay_out(below, folder / name)


def _named(key: BlockKey) -> str:
    return f"{key.scope}/{key.owner}/{key.key} of {key.tenant}"


def _told(text: str | None) -> str:
    return "nothing" if text is None else repr(text[:24])
