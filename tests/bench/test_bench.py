"""The command runs, and says what it promises. How fast is no test's business."""

import json
import subprocess
import sys

import pytest
from bench.__main__ import main
from bench.cases import CASES, LEVELS
from bench.running import RAW, STORES

from sources import ROOT

TINY = ["--rows", "3", "--seconds", "0"]


def test_every_case_is_measured_on_every_level_of_every_store(capsys: pytest.CaptureFixture[str]) -> None:
    main([*TINY, "--json"])
    told = json.loads(capsys.readouterr().out)
    assert {(one["store"], one["case"], one["level"]) for one in told["results"]} == {
        (store, case, level) for store in STORES for case in CASES for level in (RAW, *LEVELS)
    }
    for one in told["results"]:
        assert 0 < one["p50_us"] <= one["p95_us"]
        assert one["per_second_1"] > 0
        assert one["ratio"] > 0
        assert (one["per_second_8"] is None) == (one["level"] == RAW)
    assert set(told["machine"]) == {"cores", "system", "python", "sqlite", "fsync_us", "load"}


def test_people_get_a_table_of_what_they_asked_for() -> None:
    command = [sys.executable, "-m", "bench", *TINY, "--store", "sqlite", "--only", "get"]
    ran = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True, timeout=60)
    about, _, head, says, *figures = ran.stdout.splitlines()
    assert "pools of 3" in about
    assert head.split()[:3] == ["sqlite", "p50", "µs"]
    assert says == CASES["get"].says
    assert [line.split()[0] for line in figures] == [RAW, *LEVELS]


def test_what_there_is_not_cannot_be_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--only", "everything"])
    assert "invalid choice" in capsys.readouterr().err
