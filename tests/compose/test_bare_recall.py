"""Recall where nothing may be fetched, and where numpy is not installed."""

import subprocess
import sys

RECALLING = """
import asyncio
from datetime import datetime, UTC
from wellkept import InProcessRecall, Said
async def recalled(embedder):
    async with InProcessRecall(embedder=embedder) as recall:
        said = [Said(text="My sister keeps bees.", speaker="Ann", at=datetime(2026, 5, 8, tzinfo=UTC))]
        await recall.ingest(said, agent="a", user_id="u", session_id="s")
        found = await recall.search("who has bees?", agent="a", user_id="u")
        return [one.passage.text for one in found.data], found.degraded
"""

NO_SOCKETS = """
import socket
def refuse(*_, **__):
    raise AssertionError("something was fetched")
# The event loop wakes itself by a pair of sockets that leads nowhere, so making one is allowed.
socket.socket.connect = socket.socket.connect_ex = socket.getaddrinfo = socket.create_connection = refuse
"""

NO_NUMPY = """
import sys
from importlib.machinery import PathFinder
class Without(PathFinder):
    @classmethod
    def find_spec(cls, name, *rest):
        return None if name.partition(".")[0] == "numpy" else super().find_spec(name, *rest)
sys.meta_path[sys.meta_path.index(PathFinder)] = Without
"""


def printed(code: str) -> str:
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_nothing_is_fetched_by_the_default_embedder_nor_by_the_transformer() -> None:
    told = printed(
        f"{NO_SOCKETS}{RECALLING}"
        "from wellkept.embedders.onnx import OnnxEmbedder\n"
        "print(asyncio.run(recalled('static')), asyncio.run(recalled(OnnxEmbedder())))"
    )
    assert told == "(['My sister keeps bees.'], ()) (['My sister keeps bees.'], ())\n"


def test_without_numpy_words_alone_are_searched_and_the_answer_says_so() -> None:
    told = printed(f"{NO_NUMPY}{RECALLING}print(asyncio.run(recalled(None)))\nassert 'numpy' not in sys.modules")
    assert told == "(['My sister keeps bees.'], ('semantic',))\n"


def test_without_numpy_the_default_embedder_says_what_to_install() -> None:
    told = printed(
        f"{NO_NUMPY}{RECALLING}from wellkept.model.errors import MissingExtra\n"
        "try:\n    asyncio.run(recalled('static'))\nexcept MissingExtra as error:\n    print(error)"
    )
    assert "wellkept[recall]" in told
