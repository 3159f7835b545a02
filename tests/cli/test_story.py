"""The whole story, as a newcomer lives it: processes, a socket, a file."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import httpx2
import pytest

from command_line import Said, say, serving, spawn

CHAT = ("chat", "--once")
WHO = "what do you know about me?"


def ask(url: str, key: str, text: str, *, user: str, session: str) -> str:
    answer = httpx2.post(
        f"{url}/api/chat",
        headers={"Authorization": f"Bearer {key}"},
        json={"message": text, "userId": user, "sessionId": session},
        timeout=60,
    )
    assert answer.status_code == 200, answer.text
    return str(answer.json()["response"])


def once(text: str, *, user: str, session: str) -> str:
    said = spawn(*CHAT, text, "--user", user, "--session", session)
    assert said.code == 0, said.err
    return said.out


def test_sam_is_known_by_every_door_and_across_a_restart(home: Path) -> None:
    """Before there is a server, while one runs, over it, and after another start: one memory."""
    once("call me Sam", user="user-42", session="s1")
    assert "Sam" in once(WHO, user="user-42", session="s2")
    assert "Sam" not in once(WHO, user="user-43", session="s3")
    with serving() as served:
        assert served.key is not None
        assert "Sam" in ask(served.url, served.key, WHO, user="user-42", session="s4")
        assert "Sam" not in ask(served.url, served.key, WHO, user="user-43", session="s5")
        ask(served.url, served.key, "my plan is Pro", user="user-42", session="s4")
        assert "Pro" in once(WHO, user="user-42", session="s6")
        key = served.key
        assert served.stop() == 0
    with serving() as again:
        assert again.key is None
        known = ask(again.url, key, WHO, user="user-42", session="s7")
        assert "Sam" in known
        assert "Pro" in known
    assert (home / "wellkept.db").exists()


def test_the_first_start_shows_a_key_and_a_line_to_paste(home: Path) -> None:
    with serving(as_json=False) as served:
        assert str(home / "wellkept.db") in served.banner
        key = next(word for word in served.banner.split() if word.startswith("wk_"))
        assert f"curl {served.url}/api/chat -H 'Authorization: Bearer {key}'" in served.banner
        assert "Nice to meet you" in ask(served.url, key, "call me Sam", user="u", session="s")
        # A key made beside the running server opens it.
        made = say("keys", "create", "laptop")
        secret = made.out.splitlines()[-1]
        assert secret.startswith("wk_")
        assert "Sam" in ask(served.url, secret, WHO, user="u", session="t")
        assert say("keys", "create", "laptop").code == 4
        laptop = next(key["id"] for key in say("keys", "list", "--json").json["data"] if key["name"] == "laptop")
        assert say("keys", "revoke", laptop).code == 0
        assert say("agents", "list", "--server", served.url, "--api-key", secret).code == 5
    with serving(as_json=False) as again:
        assert "wk_" not in again.banner
        assert "wellkept keys create NAME" in again.banner


def test_a_taken_port_is_said_and_the_next_one_used() -> None:
    with serving() as first:
        taken = first.url.rpartition(":")[2]
        with serving("--port", taken, as_json=False) as second:
            assert second.url != first.url
            assert f"port {taken} is taken" in second.banner


def test_two_first_starts_at_once_make_one_tenant_and_one_key(tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path}/shared.db"
    with serving("--store", store) as one, serving("--store", store) as two:
        told = [json.loads(served.banner) for served in (one, two)]
    assert told[0]["tenant"] == told[1]["tenant"]
    assert [bool(each["apiKey"]) for each in told].count(True) == 1
    assert len(say("keys", "list", "--json", "--store", store).json["data"]) == 1


def test_a_stopping_server_finishes_what_runs() -> None:
    """It answers the turn that runs, and then ends well."""
    with serving() as served, httpx2.Client(headers={"Authorization": f"Bearer {served.key}"}, timeout=60) as http:
        body = {"message": "call me Sam", "userId": "u", "sessionId": "s"}
        with http.stream("POST", f"{served.url}/api/chat/sse", json=body) as stream:
            assert stream.status_code == 200
            served.process.terminate()
            assert '"done"' in "".join(stream.iter_text())
        assert served.process.wait(60) == 0


def test_a_stopping_server_says_so_as_long_as_it_is_told_to() -> None:
    with serving(env={"WELLKEPT_NOTICE_SECONDS": "5"}) as served:
        assert httpx2.get(f"{served.url}/ready").status_code == 200
        served.process.terminate()
        deadline = time.monotonic() + 4
        while (status := httpx2.get(f"{served.url}/ready").status_code) == 200 and time.monotonic() < deadline:
            time.sleep(0.05)
        assert status == 503


def test_the_reply_alone_is_on_standard_output() -> None:
    said = spawn(*CHAT, "call me Sam", "--user", "user-42")
    assert (said.code, said.err) == (0, "")
    assert said.out == "Nice to meet you, Sam.\n"


def test_a_conversation_goes_on_in_its_session() -> None:
    said = spawn("chat", "--user", "u", input=f"call me Sam\n\n{WHO}\n/quit\nnever heard\n".encode())
    assert said.code == 0
    assert said.out.count("Sam") >= 2
    assert "never heard" not in said.out


@pytest.mark.parametrize("variables", [{"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}])
def test_a_terminal_without_unicode_is_survived(variables: dict[str, str]) -> None:
    spawn("memories", "add", "mag Ü und 用户")
    said: Said = spawn("memories", "list", env=variables)
    assert said.code == 0
    assert "mag \\xdc und \\u7528\\u6237" in said.out


def test_the_banner_says_the_command_that_started_it(tmp_path: Path) -> None:
    """In a fresh clone the program is in `.venv/bin` alone: PATH does not find it, and the banner's line works."""
    program = tmp_path / "bin" / "wellkept"
    program.parent.mkdir()
    program.write_text(f"#!{sys.executable}\nfrom wellkept.cli import main\nmain()\n")
    program.chmod(0o755)
    where = {"PATH": "/usr/bin:/bin", "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    said = subprocess.run(
        [str(program), "keys", "create", "first"],
        cwd=tmp_path,
        env=os.environ | where,
        check=False,
        capture_output=True,
        timeout=60,
    )
    assert said.returncode == 0, said.stderr
    with serving(as_json=False, program=[str(program)], cwd=tmp_path, env=where) as served:
        assert "Another key: bin/wellkept keys create NAME\n" in served.banner
    with serving(
        as_json=False, program=["wellkept"], cwd=tmp_path, env=where | {"PATH": f"{program.parent}:{where['PATH']}"}
    ) as served:
        assert "Another key: wellkept keys create NAME\n" in served.banner
