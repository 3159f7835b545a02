"""What the reference says is what the code says."""

import subprocess
import sys

import wellkept
from sources import ROOT, reference


def test_pages_from_the_code_are_up_to_date() -> None:
    check = [sys.executable, str(ROOT / "scripts" / "reference"), "--check"]
    done = subprocess.run(check, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, f"run scripts/docs: {done.stdout}{done.stderr}"


def test_every_public_name_is_described() -> None:
    assert not [name for name in wellkept.__all__ if f"`{name}`" not in reference()]
