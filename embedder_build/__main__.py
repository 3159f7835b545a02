"""Write the table of the static embedder: `python -m embedder_build FILE [--check]`."""

import argparse
import hashlib
import sys
from pathlib import Path

import numpy as np

from embedder_build import bert, models
from embedder_build.table import table_of


def main() -> None:
    """Build, then write the file, or with `--check` compare it with the one that is there."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--check", action="store_true", help="write nothing; fail unless the file is the same")
    told = parser.parse_args()
    tokens = models.vocabulary()
    views: list[bert.Numbers] = []
    for weights in (models.three_layers(), models.six_layers()):
        batches = list(bert.views(weights, len(tokens)))
        views += [np.concatenate([whole for whole, _ in batches]), np.concatenate([own for _, own in batches])]
    table = table_of(tokens, views)
    print(f"{len(table)} bytes, sha256 {hashlib.sha256(table).hexdigest()}")
    if not told.check:
        told.file.write_bytes(table)
    elif told.file.read_bytes() != table:
        sys.exit(f"{told.file} is another one")


if __name__ == "__main__":
    main()
