"""The measure of recall, run as its users do, on a conversation of ours in LoCoMo's format."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from sources import ROOT

CONVERSATION: list[dict[str, Any]] = [
    {
        "conversation": {
            "speaker_a": "Ann",
            "speaker_b": "Ben",
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": [
                {"speaker": "Ann", "dia_id": "D1:1", "text": "My sister keeps bees behind the old mill."},
                {"speaker": "Ben", "dia_id": "D1:2", "text": "The train to Oslo was two hours late."},
                {"speaker": "Ann", "dia_id": "D1:3", "text": "I am learning to play the cello."},
            ],
        },
        "qa": [
            {"question": "Who keeps bees?", "answer": "Ann's sister", "evidence": ["D1:1"], "category": 4},
            {"question": "Which train was late?", "answer": "to Oslo", "evidence": ["D1:2"], "category": 4},
            {"question": "What is never said?", "answer": "", "evidence": ["D1:3"], "category": 5},
        ],
    }
]


def measured(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "bench" / "recall.py"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def test_it_finds_the_evidence_and_says_how_fast(tmp_path: Path) -> None:
    file = tmp_path / "said.json"
    file.write_text(json.dumps(CONVERSATION), encoding="utf-8")
    done = measured("--data", str(file), "--embedder", "static", "--json")
    assert done.returncode == 0, done.stderr
    recipe = json.loads(done.stdout)["quality"]["recipe"]["all"]
    assert (recipe["questions"], recipe["R@5"]) == (2, 100.0)  # what nobody said is left out


def test_as_a_table_it_names_every_method(tmp_path: Path) -> None:
    file = tmp_path / "said.json"
    file.write_text(json.dumps(CONVERSATION), encoding="utf-8")
    done = measured("--data", str(file))
    assert done.returncode == 0, done.stderr
    methods = ("bm25", "vectors", "rrf", "words", "recipe")
    assert [name for name in methods if f"| {name} | all |" not in done.stdout] == []


def test_a_data_set_that_is_not_there_is_said(tmp_path: Path) -> None:
    done = measured("--data", str(tmp_path / "missing.json"))
    assert done.returncode != 0
    assert "missing.json" in done.stderr
    assert "Traceback" not in done.stderr
