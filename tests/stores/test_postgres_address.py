"""URLs of PostgreSQL stores."""

import pytest

from wellkept.compose.stores import open_store
from wellkept.model.errors import Misconfigured, StoreUnavailable
from wellkept.stores.postgresql.address import parse


def test_a_url_is_libpqs_with_a_few_options_of_ours() -> None:
    address = parse("postgresql://maya:s%40crt@db.example:5433/memory?sslmode=require&timeout=5&pool=3&partitions=16")
    assert (address.timeout, address.pool, address.partitions, address.role) == (5, 3, 16, "wellkept_app")
    assert address.server.items() >= {
        ("host", "db.example"), ("port", "5433"), ("user", "maya"), ("password", "s@crt"), ("dbname", "memory"),
        ("sslmode", "require"), ("connect_timeout", 5),
    }  # fmt: skip
    assert address.place == "db.example:5433/memory"


def test_what_the_url_says_about_the_connection_holds() -> None:
    assert parse("postgresql:///memory?connect_timeout=1").server["connect_timeout"] == "1"


@pytest.mark.parametrize(
    "url",
    [
        "postgresql:",
        "postgresql:/memory",
        "postgresql://h/d?timeout=0",
        "postgresql://h/d?timeout=1.5",
        "postgresql://h/d?pool=many",
        "postgresql://h/d?partitions=-1",
        "postgresql://h/d?partitions=1001",
        "postgresql://h/d?role=a%20b",
        "postgresql://h/d?role=a%22%3B--",
        "postgresql://maya:secret@h/d?no_such_option=1",
        "postgresql://maya:secret@[::1/d",
    ],
)
def test_a_url_that_is_none_is_refused_without_quoting_it(url: str) -> None:
    with pytest.raises(Misconfigured) as caught:
        parse(url)
    assert "secret" not in caught.value.message


@pytest.mark.parametrize("scheme", ["postgresql", "postgres"])
async def test_both_names_of_the_scheme_lead_to_the_store(scheme: str) -> None:
    with pytest.raises(StoreUnavailable) as caught:
        await open_store(f"{scheme}://maya:secret@127.0.0.1:1/memory")
    assert caught.value.facts["server"] == "127.0.0.1:1/memory"
    assert "secret" not in caught.value.message
