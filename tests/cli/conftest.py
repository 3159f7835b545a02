"""A home for each test, and doors to one store: by itself, and through a server over it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from command_line import Said, Served, say, serving

Say = Callable[..., Said]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("WELLKEPT_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@dataclass(frozen=True)
class Doors:
    """Two ways to one store."""

    store: str
    served: Served

    def local(self, *arguments: str, input: str | None = None) -> Said:
        return say(*arguments, "--store", self.store, input=input)

    def remote(self, *arguments: str, input: str | None = None) -> Said:
        key = self.served.key
        assert key is not None
        return say(*arguments, "--server", self.served.url, "--api-key", key, input=input)

    def both(self) -> dict[str, Say]:
        return {"local": self.local, "remote": self.remote}


@pytest.fixture(scope="module")
def doors(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Doors]:
    store = f"sqlite:///{tmp_path_factory.mktemp('served')}/data.db"
    with serving("--store", store) as served:
        yield Doors(store, served)


@pytest.fixture(params=["local", "remote"])
def door(request: pytest.FixtureRequest, doors: Doors) -> Say:
    return doors.both()[request.param]
