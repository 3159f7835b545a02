"""`wellkept recall` by both doors: a transcript goes in, and what was said comes out, when and by whom."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from command_line import Said

from .conftest import Doors

Say = Callable[..., Said]

LINES = [
    {"session": "may", "speaker": "Ann", "time": "2026-05-08T10:00:00Z", "text": "My sister keeps bees."},
    {"session": "may", "speaker": "Support", "time": "2026-05-08T10:00:00Z", "text": "How many hives?"},
    {"session": "june", "speaker": "Ann", "time": "2026-06-01T09:00:00Z", "text": "The honey is sold out."},
]


def transcript(*lines: object) -> str:
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)


@pytest.fixture
def user(request: pytest.FixtureRequest) -> str:
    """A user of this test alone."""
    return str(request.node.name)


def test_a_transcript_is_kept_once_and_found(door: Say, user: str, tmp_path: Path) -> None:
    file = tmp_path / "said.jsonl"
    file.write_text(transcript(*LINES), encoding="utf-8")
    at = ["recall", "ingest", str(file), "--user", user, "--json"]
    assert door(*at).json == {"stored": 3, "replaced": 0, "unchanged": 0, "removed": 0}
    assert door(*at).json == {"stored": 0, "replaced": 0, "unchanged": 3, "removed": 0}
    found = door("recall", "search", "who keeps bees?", "--user", user, "--json").json
    best = found["data"][0]["passage"]
    assert (best["text"], best["speaker"], best["at"]) == ("My sister keeps bees.", "Ann", "2026-05-08T10:00:00Z")
    told = door("recall", "search", "who keeps bees?", "--user", user, "--explain").out
    assert "My sister keeps bees." in told
    assert "Ann" in told
    assert door("recall", "search", "bees", "--user", f"{user}-other", "--json").json["data"] == []


def test_both_doors_find_the_same(doors: Doors, user: str) -> None:
    doors.local("recall", "ingest", "-", "--user", user, input=transcript(*LINES))
    answers = [say("recall", "search", "bees honey", "--user", user, "--json").json for say in doors.both().values()]
    assert answers[0] == answers[1]
    assert len(answers[0]["data"]) >= 2
    assert doors.local("recall", "stats", "--json").json == doors.remote("recall", "stats", "--json").json


def test_a_search_may_look_at_a_part_alone(door: Say, user: str) -> None:
    door("recall", "ingest", "-", "--user", user, input=transcript(*LINES))
    at = ["recall", "search", "bees honey hives", "--user", user, "--json"]

    def texts(*more: str) -> set[str]:
        return {one["passage"]["text"] for one in door(*at, *more).json["data"]}

    assert texts("--session", "june") == {"The honey is sold out."}
    assert texts("--since", "2026-05-20T00:00:00Z") == {"The honey is sold out."}
    assert texts("--until", "2026-05-20T00:00:00Z", "--speaker", "Support") == {"How many hives?"}


def test_what_is_forgotten_is_gone_at_once(door: Say, user: str) -> None:
    door("recall", "ingest", "-", "--user", user, input=transcript(*LINES))
    assert door("recall", "forget", "--user", user, "--session", "may", "--json").json == {"deleted": 2}
    found = door("recall", "search", "bees honey", "--user", user, "--json").json["data"]
    assert [one["passage"]["text"] for one in found] == ["The honey is sold out."]
    assert door("recall", "forget", "--passage", found[0]["passage"]["id"], "--json").json == {"deleted": 1}
    assert door("recall", "search", "honey", "--user", user, "--json").json["data"] == []
    assert door("recall", "forget").code == 2


def test_each_line_may_say_whose_it_is(door: Say, user: str) -> None:
    lines = [LINES[0] | {"user": f"{user}-a"}, LINES[2] | {"user": f"{user}-b"}]
    assert door("recall", "ingest", "-", "--json", input=transcript(*lines)).json["stored"] == 2
    for whose, text in ((f"{user}-a", "My sister keeps bees."), (f"{user}-b", "The honey is sold out.")):
        found = door("recall", "search", "bees honey", "--user", whose, "--json").json["data"]
        assert [one["passage"]["text"] for one in found] == [text]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("nonsense\n", "line 1"),
        ('{"session": "s"}\n', "line 1"),
        (transcript(LINES[0], LINES[1] | {"text": " "}), "line 2"),
        (transcript(LINES[0] | {"time": "2026-05-08T10:00:00"}), "line 1"),
        (transcript(LINES[0] | {"colour": "red"}), "colour"),
    ],
)
def test_what_is_no_transcript_is_named_by_its_line(door: Say, user: str, line: str, said: str) -> None:
    refused = door("recall", "ingest", "-", "--user", user, input=line)
    assert refused.code == 2
    assert said in refused.err


def test_a_transcript_without_a_user_says_what_to_do(door: Say) -> None:
    refused = door("recall", "ingest", "-", input=transcript(LINES[0]))
    assert refused.code == 2
    assert "--user" in refused.err


def test_a_query_of_nothing_is_refused(door: Say, user: str) -> None:
    assert door("recall", "search", " ", "--user", user).code == 2
    assert door("recall", "search", "bees", "--user", user, "--limit", "0").code == 2
    assert door("recall", "search", "bees", "--user", user, "--since", "yesterday").code == 2
