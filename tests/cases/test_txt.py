"""Text, ids and time come back as they went in, by every door."""

import asyncio
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from command_line import say
from memory_callers import serving
from stage import INVALID, Stage, code, open_stage
from wellkept.client.async_client import AsyncClient
from wellkept.client.client import Client
from wellkept.model.errors import InvalidInput
from wellkept.model.ids import SessionId
from wellkept.model.sessions import SessionKey
from wellkept.testing.samples import AWKWARD_TEXTS

OWNER = {"owner": "maya"}
# Lone surrogates as JSON escapes: no HTTP client sends them otherwise.
UNSTORABLE = ['"a\\u0000b"', '"\\ud800"', '"a\\udfff\\ud800"']
USERS = [
    "maya+test@example.com", "google-oauth2|123", "tenant:user", "Ünï", "用户1", "a/b", "a%2Fb", "a b", "..", "é",
    "e\u0301", "null", "None", "0", "-1", "#", "?", "&a=b", "🙂", "u" * 256, "户" * 256, "CON", "a.", "%00",
]  # fmt: skip


@pytest.mark.parametrize("text", UNSTORABLE)
async def test_txt_099_what_no_store_can_keep_is_refused_by_every_write(stage: Stage, text: str) -> None:
    id = await stage.save("kept")
    await stage.client.blocks.put("user", "USER", owner="maya", text="kept")
    memories, turn, block = f"{stage.path}/memories", f"{stage.path}/turn", "/v1/blocks/user/USER"
    for method, path, body in (
        ("POST", memories, f'{{"text": {text}}}'),
        ("POST", memories, f'{{"text": "x", "userId": {text}}}'),
        ("PATCH", f"{memories}/{id}", f'{{"text": {text}}}'),
        ("PUT", block, f'{{"text": {text}}}'),
        *(("PATCH", block, f'{{"edit": {{"action": "{name}", "content": {text}}}}}') for name in ("add", "replace")),
        ("PATCH", block, f'{{"edit": {{"action": "remove", "match": {text}}}}}'),
        ("PATCH", block, f'{{"edit": {{"action": "write", "text": {text}}}}}'),
        ("POST", f"{turn}/memories/save", f'{{"text": {text}}}'),
        ("POST", f"{turn}/memories/search", f'{{"query": {text}}}'),
        ("POST", f"{turn}/memories/update", f'{{"memoryId": "{id}", "text": {text}}}'),
        ("POST", f"{turn}/blocks/view", f'{{"block": {text}}}'),
        ("POST", f"{turn}/blocks/edit", f'{{"block": "MEMORY", "edit": {{"action": "add", "content": {text}}}}}'),
        ("POST", f"{stage.path}/context", f'{{"query": {text}}}'),
        ("POST", f"{stage.path}/sessions", f'{{"message": {text}}}'),
        ("POST", f"{stage.path}/sessions", f'{{"message": "x", "sessionId": {text}}}'),
        ("POST", f"{stage.path}/generation", f'{{"prompt": {text}}}'),
        ("POST", "/api/chat", f'{{"message": {text}}}'),
        ("POST", "/v1/agents", f'{{"name": {text}}}'),
        ("PUT", stage.path, f'{{"instructions": {text}}}'),
        ("PUT", stage.path, f'{{"metadata": {{"a": {text}}}}}'),
        ("POST", "/v1/keys", f'{{"name": {text}}}'),
    ):
        sent: dict[str, Any] = {"params": OWNER} if path == block else {}
        headers = {"Content-Type": "application/json"}
        answer = await stage.http.request(method, path, content=body, headers=headers, **sent)
        assert code(answer) == INVALID, (method, path, body)
    value = json.loads(text)
    for name, arguments in (
        ("save_memory", {"text": value}),
        ("update_memory", {"memory_id": id, "text": value}),
        ("search_memories", {"query": value}),
        ("memory_block", {"action": "add", "block": "USER", "content": value}),
        ("memory_block", {"action": "remove", "block": "USER", "match": value}),
    ):
        assert (await stage.tool(name, **arguments))["error"]["code"] == "validation_failed", name
    runtime, _ = stage.runtime()
    for given in ({"input": value}, {"input": "x", "session_id": value}, {"input": "x", "user_id": value}):
        with pytest.raises(InvalidInput):
            await runtime.run(**given, agent_id=stage.agent)
    assert await stage.texts() == ["kept"]
    assert [row.text for row in (await stage.client.blocks.list("user", owner="maya")).data] == ["kept"]


@pytest.mark.parametrize(
    "text", ["\u202e", "\ufeff", "a\u202eb", "\ufeffa", "a\x01\x1b[31m", "\U000e0041a", "a\r\nb\x85"]
)
async def test_txt_100_what_is_odd_and_legal_is_kept_by_every_write(stage: Stage, text: str) -> None:
    blank = text in ("\u202e", "\ufeff")  # nothing to be seen: a block may hold it, a memory may not
    await stage.client.blocks.put("user", "USER", owner="maya", text=text)
    assert (await stage.client.blocks.get("user", "USER", owner="maya")).text == text
    if blank:
        assert code(await stage.http.post(f"{stage.path}/memories", json={"text": text})) == INVALID
        return
    id = await stage.save(text)
    await stage.client.memories.update(stage.agent, id, text=text + text)
    assert await stage.texts() == [text + text]
    assert (await stage.tool("get_memory", memory_id=id))["memory"]["text"] == text + text
    await stage.tool("memory_block", action="replace", block="USER", content=f"x{text}")
    assert (await stage.tool("memory_block", action="view", block="USER"))["content"] == f"x{text}"


async def test_txt_102_every_time_is_utc_and_written_one_way(stage: Stage) -> None:
    answers = [
        await stage.http.post(f"{stage.path}/memories", json={"text": "x", "userId": "maya"}),
        await stage.http.put("/v1/blocks/user/USER", params=OWNER, json={"text": "x"}),
        await stage.http.post(f"{stage.path}/sessions", json={"message": "x", "userId": "maya", "sessionId": "s1"}),
        await stage.http.post("/api/chat", json={"message": "x", "sessionId": "s2"}),
        await stage.http.post("/v1/keys", json={"name": "k"}),
    ]
    await stage.tool("memory_block", action="add", block="MEMORY", content="x")
    for path in (f"{stage.path}/memories", f"{stage.path}/sessions", f"{stage.path}/versions", "/v1/agents", "/v1/keys",
                 f"{stage.path}/sessions/s1/messages", "/v1/review", stage.path):  # fmt: skip
        answers.append(await stage.http.get(path))
    instants = [value for answer in answers for value in times(answer.json())]
    assert len(instants) > 15
    assert [value for value in instants if not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?Z", value)] == []


def times(value: Any) -> list[str]:
    """All texts that begin like a date."""
    if isinstance(value, dict):
        return [found for item in value.values() for found in times(item)]
    if isinstance(value, list):
        return [found for item in value for found in times(item)]
    return [value] if isinstance(value, str) and re.match(r"\d{4}-\d\d-\d\d", value) else []


SAID = [
    "开会时间是 04:45",
    "Je préfère être appelé « Zoé »",
    "明日の会議は12:45です",
    "a < b && c > d; 'q' \"r\"",
]


async def test_txt_104_what_was_said_is_stored_and_shown_in_its_own_words(stage: Stage) -> None:
    for text in SAID:
        await stage.tool("save_memory", text=text)
        await stage.tool("memory_block", action="add", block="USER", content=text)
    assert sorted(await stage.texts()) == sorted(SAID)
    prompt = await stage.prompt()
    assert [prompt.count(text) for text in SAID] == [2] * len(SAID)


async def test_txt_105_no_escape_is_shown_to_the_model_or_the_reader(stage: Stage) -> None:
    id = await stage.save("你好")
    calls = [
        ("get_memory", {"memory_id": id}),
        ("search_memories", {"query": "你好"}),
        ("memory_block", {"action": "add", "block": "USER", "content": "你好"}),
    ]
    runtime, played = stage.runtime([*calls])
    async with runtime:
        await runtime.run("你好", agent_id=stage.agent, user_id="maya", session_id="s1")
    shown = "".join(str(getattr(part, "content", "")) for message in played.seen or [] for part in message.parts)
    instructions = "".join(getattr(message, "instructions", None) or "" for message in played.seen or [])
    rows = await stage.house.services.sessions.messages(
        SessionKey(stage.pool.tenant, stage.pool.agent, SessionId("s1"))
    )
    for seen in (shown, instructions, "".join(row.text for row in rows)):
        assert "你好" in seen
        assert "\\u" not in seen
    for path in (f"{stage.path}/memories", f"{stage.path}/sessions/s1/messages", "/v1/blocks?scope=user&owner=maya"):
        answer = await stage.http.get(path)
        assert "你好".encode() in answer.content
        assert b"\\u" not in answer.content


def test_txt_105_the_command_line_shows_text_as_it_is(tmp_path: Path) -> None:
    store = ["--store", f"sqlite:///{tmp_path}/w.db", "--json"]
    added = say("memories", "add", "你好", "--agent", "assistant", "--user", "maya", *store)
    assert added.code == 0, added.err
    assert "你好" in added.out


@pytest.mark.parametrize("name", ["files://{tmp}/blocks", "sqlite:///{tmp}/w.db"])
def test_txt_107_the_locale_damages_nothing(tmp_path: Path, name: str) -> None:
    code = (
        "import asyncio, importlib, locale, sys; from wellkept.contract.block_store import ANY;"
        "from wellkept.testing.samples import a_block, a_change, a_key\n"
        "async def main(url, text):\n"
        "    store = await importlib.import_module('wellkept.stores.' + url.partition(':')[0]).open(url)\n"
        "    await store.put(a_block(text), expect=ANY, change=a_change())\n"
        "    print(locale.getpreferredencoding(False), (await store.get(a_key())).text == text)\n"
        "    await store.close()\n"
        "asyncio.run(main(sys.argv[1], '\\u4f60\\u597d \\u20ac\\r\\n\\u2028'))"
    )
    env = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    url = name.format(tmp=tmp_path)
    run = subprocess.run([sys.executable, "-c", code, url], env=env, capture_output=True, text=True, timeout=60)
    encoding, same = run.stdout.split()
    assert (encoding.upper() in ("ANSI_X3.4-1968", "US-ASCII", "ASCII"), same) == (True, "True"), run.stderr


async def test_txt_108_any_visible_id_names_a_user_and_no_other(stage: Stage) -> None:
    for user in USERS:
        await stage.save(f"memory of {user}", user)
        await stage.client.blocks.put("user", "USER", owner=user, text=f"block of {user}")
    for user in USERS:
        assert await stage.texts(user_id=user) == [f"memory of {user}"]
        assert await stage.found("memory", user) == [f"memory of {user}"]
        view = stage.client.for_user(user)
        assert [row.text async for row in view.memories.iter(stage.agent)] == [f"memory of {user}"]
        assert [row.text for row in (await view.blocks.list("user", owner=user)).data] == [f"block of {user}"]


@pytest.mark.parametrize("value", [7, 7.0, True, ["a"], {"a": 1}])
async def test_txt_108_an_id_is_text(stage: Stage, value: object) -> None:
    for path, body in ((f"{stage.path}/memories", {"text": "x"}), ("/api/chat", {"message": "x"})):
        assert code(await stage.http.post(path, json=body | {"userId": value})) == INVALID


async def test_txt_108_a_client_acts_for_any_user_over_a_socket() -> None:
    async with open_stage("inproc://") as stage, serving(stage.house.app) as url:
        for user in USERS:
            await stage.save(f"of {user}", user)

        def blocking() -> None:
            with Client(api_key=stage.house.key, base_url=url) as client:
                for user in USERS:
                    rows = client.for_user(user).memories.list(stage.agent).data
                    assert [row.text for row in rows] == [f"of {user}"]

        await asyncio.to_thread(blocking)
        async with AsyncClient(api_key=stage.house.key, base_url=url) as client:
            for user in USERS:
                page = await client.for_user(user).memories.list(stage.agent)
                assert [row.text for row in page.data] == [f"of {user}"]


async def test_txt_109_an_edit_leaves_every_other_byte(stage: Stage) -> None:
    for text in AWKWARD_TEXTS.values():
        if "\u00a7" in text or not text.strip() or len(text) > 1_000:
            continue
        await stage.client.blocks.put("user", "USER", owner="maya", text=f"{text}\n§\nName: Al\n§\na\tb\u2028c")
        await stage.client.blocks.replace("user", "USER", owner="maya", content="Name: Bo", match="Name: Al")
        await stage.client.blocks.remove("user", "USER", owner="maya", match="\u2028c")
        block = await stage.client.blocks.get("user", "USER", owner="maya")
        assert block.text == f"{text}\n§\nName: Bo"
