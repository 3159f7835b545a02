"""Every command on a store and on a server over it: the same JSON, the same exit codes."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from command_line import Said, without_what_differs

from .conftest import Doors

Say = Callable[..., Said]


def same(doors: Doors, *arguments: str) -> Any:
    """Ask both doors; the answers are equal, byte for byte."""
    local, remote = doors.local(*arguments, "--json"), doors.remote(*arguments, "--json")
    assert (local.code, local.out) == (remote.code, remote.out), (local.err, remote.err)
    return local.json


def alike(doors: Doors, arguments: Callable[[str], list[str]]) -> dict[str, Any]:
    """Do the same by both doors, to different things; the answers are equal but for ids and moments."""
    made = {name: say(*arguments(name), "--json").json for name, say in doors.both().items()}
    plain = [without_what_differs(value, ["owner", "userId", "name"]) for value in made.values()]
    assert plain[0] == plain[1]
    return made


def test_blocks(doors: Doors) -> None:
    at = ["USER", "--owner"]
    alike(doors, lambda name: ["blocks", "set", *at, f"b-{name}", "--text", "Name: Sam"])
    alike(doors, lambda name: ["blocks", "add", *at, f"b-{name}", "plan: pro"])
    alike(doors, lambda name: ["blocks", "remove", *at, f"b-{name}", "plan"])
    alike(doors, lambda name: ["blocks", "restore", "USER", "2", "--owner", f"b-{name}"])
    for owner in ("b-local", "b-remote"):
        assert len(same(doors, "blocks", "list", "--owner", owner)["data"]) == 1
        assert same(doors, "blocks", "show", "USER", "--owner", owner)["text"] == "Name: Sam\n§\nplan: pro"
        page = same(doors, "blocks", "history", "USER", "--owner", owner, "--limit", "3")
        assert [row["number"] for row in page["data"]] == [4, 3, 2]
        rest = same(doors, "blocks", "history", "USER", "--owner", owner, "--cursor", page["nextCursor"])
        assert [row["number"] for row in rest["data"]] == [1]
        assert rest["nextCursor"] is None
        at_owner = ["blocks", "diff", "USER", "--owner", owner]
        assert "+plan: pro" in same(doors, *at_owner, "1", "2")["diff"].splitlines()
        assert "-plan: pro" in same(doors, *at_owner, "2", "1")["diff"].splitlines()
        assert "+Name: Sam" in doors.local(*at_owner, "0", "1").out.splitlines()
        assert doors.remote(*at_owner, "1", "9").code == 3
    alike(doors, lambda name: ["blocks", "remove", "USER", "--whole", "--owner", f"b-{name}"])


def test_memories(doors: Doors) -> None:
    made = alike(doors, lambda name: ["memories", "add", "likes heliotrope", "--user", "mem", "--pin"])
    page = same(doors, "memories", "list", "--user", "mem", "--limit", "1")
    rest = same(doors, "memories", "list", "--user", "mem", "--limit", "1", "--cursor", page["nextCursor"])
    everything = same(doors, "memories", "list", "--user", "mem", "--limit", "1", "--all")
    assert everything["data"] == page["data"] + rest["data"]
    for mode in ("web", "ranked"):
        found = same(doors, "memories", "search", "heliotrope", "--user", "mem", "--mode", mode)
        assert len(found["data"]) == 2
    # What is found counts as used, so the moments differ.
    explained = alike(doors, lambda name: ["memories", "search", "heliotrope", "--user", "mem", "--explain"])
    assert all(row["parts"] and row["score"] for row in explained["local"]["data"])
    for name, say in doors.both().items():
        id = made[name]["memory"]["id"]
        assert (
            say("memories", "update", id, "--text", "likes teal", "--unpin", "--json").json["memory"]["pinned"] is False
        )
        assert same(doors, "memories", "show", id)["memory"]["text"] == "likes teal"
        assert say("memories", "remove", id, "--json").json == {"removed": True}


def test_agents_and_keys(doors: Doors) -> None:
    options = [
        "--tool",
        "memory",
        "--block",
        "user/NOTES",
        "--inject",
        "--recall",
        "--instructions",
        "Be kind.",
        "--model",
        "offline",
    ]
    made = alike(doors, lambda name: ["agents", "create", "Support", *options])
    for name in made:
        shown = same(doors, "agents", "show", made[name]["id"])
        assert shown["workingMemory"]["autoLoad"][0]["key"] == "NOTES"
        assert (shown["recall"]["ingest"], shown["recall"]["preload"]) == (True, True)
    page = same(doors, "agents", "list", "--limit", "2")
    same(doors, "agents", "list", "--cursor", page["nextCursor"])
    keys = alike(doors, lambda name: ["keys", "create", f"key {name}", "--user", "maya"])
    same(doors, "keys", "list")
    alike(doors, lambda name: ["keys", "revoke", keys[name]["key"]["id"]])


def test_the_audit(doors: Doors) -> None:
    keys = alike(doors, lambda name: ["keys", "create", f"audited {name}", "--user", "audited"])
    page = same(doors, "audit", "list", "--user", "audited", "--action", "key.created", "--limit", "1")
    rest = same(doors, "audit", "list", "--user", "audited", "--action", "key.created", "--cursor", page["nextCursor"])
    made = same(doors, "audit", "list", "--user", "audited", "--action", "key.created", "--limit", "1", "--all")["data"]
    assert made == page["data"] + rest["data"]
    roles = {entry["target"]: entry["actor"]["role"] for entry in made}
    assert roles == {keys["local"]["key"]["id"]: "cli", keys["remote"]["key"]["id"]: "admin_key"}
    same(doors, "audit", "list", "--since", "2026-01-31T12:00", "--until", "2026-01-31T12:00Z")
    shown = doors.local("audit", "list", "--user", "audited").out.splitlines()
    assert shown[0].split("\t") == ["WHEN", "WHO", "ACTION", "WHAT"]
    assert shown == doors.remote("audit", "list", "--user", "audited").out.splitlines()
    for wrong in (["--since", "yesterday"], ["--action", "none"]):
        assert doors.local("audit", "list", *wrong).code == 2


def test_a_key_is_revoked_by_its_name_while_it_lives(door: Say) -> None:
    door("keys", "create", "phone")
    assert door("keys", "revoke", "phone").out == "phone revoked.\n"
    again = door("keys", "revoke", "phone")
    assert again.code == 3
    assert "by its id, key_…, or by its name" in again.err
    # A name that was let go of may be used again, and then means the key that lives.
    made = door("keys", "create", "phone", "--json").json["key"]["id"]
    assert door("keys", "revoke", "phone").code == 0
    states = {key["id"]: key["revokedAt"] for key in door("keys", "list", "--json").json["data"]}
    assert states[made] is not None


def test_chat_context_and_review(doors: Doors) -> None:
    alike(doors, lambda name: ["chat", "--once", "call me Sam", "--user", f"chat-{name}", "--session", f"c-{name}"])
    for name in doors.both():
        made = same(doors, "context", "--user", f"chat-{name}")
        assert "Name: Sam" in made["text"]
        receipt = same(doors, "context", "--user", f"chat-{name}", "--receipt")
        assert receipt == made["receipt"]
    # A turn with a user asks to change a general memory, which waits.
    doors.local("memories", "add", "the shop closes at six")
    doors.local("chat", "--once", "forget the shop closes at six", "--user", "chat-local")
    doors.local("chat", "--once", "forget the shop closes at six", "--user", "chat-remote")
    waiting = same(doors, "review", "list")["data"]
    assert len(waiting) == 2
    assert doors.local("review", "reject", waiting[0]["id"], "--json").json["id"] == waiting[0]["id"]
    assert doors.remote("review", "approve", waiting[1]["id"], "--json").json["id"] == waiting[1]["id"]
    assert same(doors, "review", "list")["data"] == []


REFUSALS = [
    (2, "validation_failed", ["blocks", "set", "USER", "--owner", " ", "--text", "x"]),
    (2, "validation_failed", ["blocks", "add", "USER", "one\n§\ntwo", "--owner", "o"]),
    (2, "validation_failed", ["memories", "add", " "]),
    (2, "validation_failed", ["memories", "search", " "]),
    (2, "validation_failed", ["memories", "show", "mem_1"]),
    (2, "invalid_cursor", ["memories", "list", "--cursor", "AAAA"]),
    (2, "validation_failed", ["chat", "--once", " "]),
    (3, "not_found", ["blocks", "show", "NOTHING", "--owner", "o"]),
    (3, "not_found", ["memories", "show", "mem_0000000000000000"]),
    (3, "not_found", ["memories", "list", "--agent", "ag_nobody"]),
    (3, "not_found", ["memories", "list", "--agent", " nobody"]),
    (3, "not_found", ["agents", "show", "ag_nobody"]),
    (3, "not_found", ["keys", "revoke", "key_nothing"]),
    (3, "not_found", ["review", "approve", "hold_nothing"]),
    (3, "not_found", ["context", "--agent", "ag_nobody"]),
    (3, "not_found", ["chat", "--once", "hello", "--agent", "ag_nobody"]),
    (3, "not_found", ["blocks", "restore", "USER", "9", "--owner", "nobody"]),
    (3, "entry_not_found", ["blocks", "remove", "NOTHING", "x", "--owner", "o"]),
    (4, "already_exists", ["keys", "create", "first"]),
    (4, "precondition_failed", ["blocks", "set", "NEW", "--owner", "o", "--text", "x", "--if-match", "0" * 64]),
    (5, "over_limit", ["blocks", "set", "NEW", "--owner", "o", "--text", "xyz", "--limit", "2"]),
]


@pytest.mark.parametrize(("code", "name", "arguments"), REFUSALS, ids=[" ".join(row[2]) for row in REFUSALS])
def test_refusals_are_the_same(door: Say, code: int, name: str, arguments: list[str]) -> None:
    said = door(*arguments, "--json")
    assert (said.code, said.problem["code"], said.out) == (code, name, "")
    for_people = door(*arguments)
    assert for_people.code == code
    assert for_people.err.startswith("error: ")
    assert for_people.out == ""


def test_an_ambiguous_match_names_what_it_may_mean(door: Say) -> None:
    door("blocks", "set", "MANY", "--owner", "o", "--text", "red tea\n§\nred wine")
    said = door("blocks", "remove", "MANY", "red", "--owner", "o")
    assert said.code == 5
    assert "red tea" in said.err
    assert "red wine" in said.err


def test_a_write_is_refused_when_the_text_changed_meanwhile(door: Say) -> None:
    owner = ["--owner", "meanwhile"]
    etag = door("blocks", "set", "USER", "--text", "one", *owner, "--json").json["block"]["etag"]
    assert door("blocks", "add", "USER", "two", *owner, "--if-match", etag).code == 0
    stale = door("blocks", "add", "USER", "three", *owner, "--if-match", etag, "--json")
    assert (stale.code, stale.problem["code"]) == (4, "precondition_failed")


def test_texts_come_back_exactly_through_pipes_and_files(door: Say, tmp_path: Path) -> None:
    text = "\ufeffone\r\ntwo\ttabs \u202e e\u0301 \x1b[31mred\n\n"
    file = tmp_path / "text.md"
    file.write_bytes(text.encode())
    at = ["USER", "--owner", "exact"]
    assert door("blocks", "set", *at, "--file", str(file)).code == 0
    assert door("blocks", "show", *at).out == text
    assert door("blocks", "set", *at, "--text", "-", input=text + "more").code == 0
    assert door("blocks", "show", *at).out == text + "more"
    file.write_bytes(b"\xff")
    assert door("blocks", "set", *at, "--file", str(file)).code == 2
    assert door("blocks", "set", *at, "--file", str(tmp_path / "nothing")).code == 2
    door("blocks", "remove", "USER", "--whole", "--owner", "exact")
