"""How a person calls this program where they stand."""

import os
import shlex
import shutil
import sys
from pathlib import Path
from typing import Final

NAME: Final = "wellkept"


def own_name() -> str:
    """Give the command to type: the name where PATH finds this program, else the path it was started by."""
    started = Path(sys.argv[0])
    if started.name != NAME or not started.exists():
        return NAME  # started by another program, which does not say how
    found = shutil.which(NAME)
    if found is not None and Path(found).resolve() == started.resolve():
        return NAME
    shown = os.path.relpath(started)
    return shlex.quote(str(started.absolute()) if shown.startswith(os.pardir) else shown)
