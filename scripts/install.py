"""Install the pinned packages and wellkept itself into .venv. `scripts/bootstrap` calls it, and only when needed.

One caller installs, the others wait for it. A change of pins builds .venv anew, so that nothing lingers which no pin
names; a change of pyproject.toml alone installs wellkept again, which takes a second or two.
"""

import fcntl
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
LOCK = VENV / ".lock"
PYTHON = VENV / "bin" / "python"


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def stamped(stamp: Path, content: bytes) -> bool:
    return stamp.exists() and stamp.read_bytes() == content


def clear() -> None:
    """Empty .venv, but for the lock that others are waiting on."""
    for path in VENV.iterdir():
        if path == LOCK:
            continue
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()


def pip(*arguments: str) -> None:
    environment = {name: value for name, value in os.environ.items() if name not in {"PYTHONHOME", "PYTHONPATH"}}
    environment |= {"PIP_USER": "0", "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_INPUT": "1"}
    command = [str(PYTHON), "-m", "pip", "install", "-qq", *arguments]
    subprocess.run(command, check=True, env=environment, cwd=ROOT, stdout=sys.stderr)


def install() -> None:
    pins_file, project_file = ROOT / "constraints.txt", ROOT / "pyproject.toml"
    pins = f"{ROOT}\n".encode() + pins_file.read_bytes()
    project = project_file.read_bytes()
    pins_stamp, project_stamp = VENV / ".pins", VENV / ".project"

    if not (stamped(pins_stamp, pins) and PYTHON.exists()):
        say("Setting up .venv from constraints.txt; this happens once and takes about a minute.")
        clear()
        venv.create(VENV, with_pip=True, symlinks=True)
        # Every package is pinned there with its hashes, so pip has nothing to resolve, and nothing to build.
        pip("--require-hashes", "--no-deps", "--only-binary", ":all:", "--no-compile", "-r", str(pins_file))
        pins_stamp.write_bytes(pins)
        project_stamp.unlink(missing_ok=True)

    if not stamped(project_stamp, project):
        pip("--no-deps", "--no-build-isolation", "--no-index", "--editable", str(ROOT))
        project_stamp.write_bytes(project)


def main() -> int:
    VENV.mkdir(exist_ok=True)
    with LOCK.open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("Another set-up of .venv is under way; waiting for it.")
            fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            install()
        except subprocess.CalledProcessError as error:
            say("Could not set up .venv: pip says why above. Run it again once that is mended.")
            return error.returncode or 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
