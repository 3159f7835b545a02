"""What is not installed is named, with what to install."""

import subprocess
import sys

import pytest

CASES = [
    ("Client", "httpx2", "client"),
    ("AsyncClient", "httpx2", "client"),
    ("FileBlockStore", "filelock", "files"),
]


@pytest.mark.parametrize(("name", "package", "extra"), CASES)
def test_a_public_name_says_which_extra_it_needs(name: str, package: str, extra: str) -> None:
    code = f"""
import sys
sys.modules[{package!r}] = None
import wellkept
try:
    wellkept.{name}
except wellkept.WellkeptError as error:
    print(error.code, error)
"""
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert told.startswith("missing_extra")
    assert f"wellkept[{extra}]" in told
