"""The store that `docs/howto/write-a-store.md` writes passes the suite that the page derives from."""

import subprocess
import sys
from pathlib import Path

from fences import fences
from sources import ROOT


def test_the_store_of_the_page_keeps_the_contract(tmp_path: Path) -> None:
    blocks = fences(ROOT / "docs" / "howto" / "write-a-store.md")
    code = [block.text for block in blocks if block.language == "python" and "Runtime(" not in block.text]
    suite = tmp_path / "test_dict_store.py"
    suite.write_text("\n\n".join(code), encoding="utf-8")
    run = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-o", "asyncio_mode=auto", str(suite)]
    done = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    assert " passed" in done.stdout
