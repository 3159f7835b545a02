"""The spelling of paths: injective on every disk there is, and readable where it can be."""

import unicodedata

from hypothesis import example, given
from hypothesis import strategies as st

from wellkept.model.errors import InvalidInput
from wellkept.model.ids import DEFAULT_TENANT, TenantId, user_id
from wellkept.model.keys import SCOPES
from wellkept.stores.files.spelling import TENANTS, is_id, read_key, scope_path, spell_id, spell_key

DEVICES = {
    "con",
    "prn",
    "aux",
    "nul",
    *(f"{port}{n}" for port in ("com", "lpt") for n in "0123456789\u00b9\u00b2\u00b3"),
}
KEY_LETTERS = "abkUSERKN019_.-"


def folded(name: str) -> str:
    """Spell a name as the most forgetful disk would: case, Unicode form, trailing dots and spaces."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFC", name).casefold()).casefold().rstrip(". ")


def is_safe(name: str) -> bool:
    return (
        name.isascii()
        and name.isprintable()
        and len(name) <= 255
        and not set(name) & set('/\\:*?"<>|')
        and name[0] not in ".- "
        and name[-1] not in ". "
        and name.partition(".")[0].lower() not in DEVICES
    )


def valid(value: str) -> bool:
    try:
        return user_id(value) == value
    except InvalidInput:
        return False


ids = st.one_of(
    st.text(min_size=1, max_size=256),
    st.text("aAbB1~._-@+/: \u00e9\u0131\u212a", min_size=1, max_size=6),
    st.sampled_from(["con", "CON", "nul.x", "com1", "a.", "alice", "Alice", "ALICE", "default", "user"]),
).filter(valid)
keys = st.one_of(
    st.text(KEY_LETTERS, min_size=1, max_size=64),
    st.text(KEY_LETTERS, min_size=1, max_size=4),
    st.sampled_from(["USER", "user", "User", "CON", "con", "NUL.X", "COM1", "LPT9", ".", "..", ".hidden", "A.", "-RF"]),
)


@given(ids, ids)
@example("alice", spell_id("Alice"))
@example("K", "\u212a")
def test_two_ids_never_share_a_folder(one: str, other: str) -> None:
    assert (folded(spell_id(one)) == folded(spell_id(other))) == (one == other)


@given(keys, keys)
@example("user", "USER")
@example("f~user"[2:], "USER")
def test_two_keys_never_share_a_file(one: str, other: str) -> None:
    assert (folded(spell_key(one)) == folded(spell_key(other))) == (one == other)


@given(ids)
def test_an_ids_folder_is_safe_and_known_as_one(value: str) -> None:
    assert is_safe(spell_id(value))
    assert is_id(spell_id(value))


@given(keys)
def test_a_keys_file_is_safe_and_tells_the_key(key: str) -> None:
    name = spell_key(key)
    assert is_safe(name)
    assert name.endswith(".md")
    assert read_key(name) == key


@given(st.one_of(st.text(), st.text(KEY_LETTERS + "~f0d", max_size=9).map(lambda stem: stem + ".md")))
@example("user.md")
@example("0~USER.md")
@example("01~user.md")
@example("F~user.md")
@example("1~user.md")
@example("USER.MD")
@example("USER")
@example(".md")
@example("USER.md\n")
def test_only_names_that_a_key_has_are_read_as_one(name: str) -> None:
    key = read_key(name)
    assert key is None or spell_key(key) == name


def test_names_of_others_are_known_for_what_they_are() -> None:
    for name in ("Alice", "con", "a.", "~", "a~b", ".hidden", "x" * 65, "a\n", "", f"A~{'0' * 40}", f"a~{'0' * 39}"):
        assert not is_id(name)


def test_what_a_person_recognises_stays_as_it_is() -> None:
    for name in ("user-42", "maya@example.com", "maya+test@example.com", "0", "a_b", "a.b"):
        assert spell_id(name) == name
    for key in ("USER", "MEMORY", "TEAM_NOTES", "A.B-C", "_X", "2026"):
        assert spell_key(key) == f"{key}.md"


@given(st.from_regex(r"[A-Za-z0-9_.-]{1,64}", fullmatch=True))
@example("user")
@example("@tenants")
def test_other_tenants_lie_apart(tenant: str) -> None:
    for scope in SCOPES:
        path = scope_path(TenantId(tenant), scope)
        assert path == (scope,) if tenant == DEFAULT_TENANT else path[0] == TENANTS
    assert TENANTS not in SCOPES
