"""Every trial runs on every store that it fits, and finds nothing; how long it takes is no test's business."""

import json
import os
import subprocess
import sys

import pytest
from trials.places import SERVERS, STORES
from trials.table import TRIALS

from sources import ROOT
from wellkept.compose.stores import schemes

TINY = {
    "kill": (3, 0.0),
    "power": (8, 0.0),
    "processes": (2, 0.3),
    "adders": (2, 0.0),
    "cap": (80, 0.0),
    "proxy": (6, 0.1),
    "restart": (2, 0.0),
    "rolling": (1, 0.1),
    "wal": (20, 0.0),
}


def trial(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a trial as a process of its own: it forks."""
    return subprocess.run(
        [sys.executable, "-m", "trials", *arguments],
        cwd=ROOT,
        check=False,
        capture_output=True,
        text=True,
        timeout=240,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
    )


PAIRS = [(name, store) for name, trial in TRIALS.items() for store in STORES if trial.fits(store)]


@pytest.mark.parametrize(("name", "store"), PAIRS, ids=[" on ".join(pair) for pair in PAIRS])
def test_nothing_is_lost_or_wrong(name: str, store: str) -> None:
    count, seconds = TINY[name]
    ran = trial(name, "--store", store, "--count", str(count), "--seconds", str(seconds), "--json")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    (report,) = json.loads(ran.stdout)
    assert (report["trial"], report["store"], report["wrong"]) == (name, store, [])
    assert report["figures"]


def test_there_is_a_place_for_every_store() -> None:
    assert sorted(STORES) == schemes()
    assert STORES.keys() > SERVERS


def test_people_get_a_table() -> None:
    ran = trial("adders", "--store", "inproc", "--count", "1")
    assert ran.stdout.startswith("adders on inproc: nothing lost or wrong\n  writers ")


def test_what_is_wrong_makes_it_fail(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    from trials import adders
    from trials.__main__ import main

    monkeypatch.setattr(adders, "entries", lambda text: ["- writer 0, entry 0"])
    assert main(["adders", "--store", "inproc", "--count", "1"]) == 1
    assert "WRONG: tasks: lost: - writer 1, entry 0" in capsys.readouterr().out
