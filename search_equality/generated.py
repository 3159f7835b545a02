"""Texts and queries of every kind that a text parser has a rule for, and of none."""

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec
from hypothesis import strategies as st

Texts = st.SearchStrategy[str]


class Batch(msgspec.Struct, frozen=True):
    """Texts, and queries that are asked of each: one pair for each of both."""

    texts: Sequence[str]
    queries: Sequence[str]


WORDS: Final = (
    *("tea", "Tea", "TEA", "the", "not", "naïve", "İstanbul", "ΣΑΣ", "straße", "café", "cafe\u0301", "ﬁn", "don't"),
    *("x1", "4x", "a_b", "C++", "C#", "AT&T", "w" * 300),
)
SCRIPTS: Final = (
    *(
        "我喜欢紫色",
        "ありがとう",
        "カタカナ",
        "한국어",
        "สวัสดี",
        "שלום",
        "مرحبا",
        "हिन्दी",
        "привет",
        "Ελληνικά",
        "ქართული",
    ),
    *("٣٤", "२०२६", "Ⅻ", "①", "e\u0301", "\u0301", "a\u0301b", "ǅ", "ʰ", "ª"),
)
EMOJI: Final = ("👋", "👨‍👩‍👧", "🇩🇪", "❤️", "👍🏽", "©", "™", "1️⃣")
SPACES: Final = (" ", "  ", "\t", "\n", "\r\n", "\u00a0", "\u2003", "\u3000", "\u2028", "\u200b", "\u00ad", "\ufeff")
QUOTES: Final = ('"', "'", "“", "”", "«", "`", '""', '"tea"', '"the tea"', "'tea'", '"', "\\", '\\"')
OPERATORS: Final = ("or", "OR", "Or", "and", "AND", "not", "-", "--", "- ", "!", "|", "&", "<->", "(", ")", ":*", ":a")
MARKUP: Final = ("<b>", "</b>", "<br/>", "<a href='x y'>", "<!-- tea -->", "<?xml?>", "&amp;", "&#39;", "&x", "<", ">")

_label = st.one_of(
    st.sampled_from(["a", "tea", "www", "example", "x-1", "4", "ab_c", "münchen", "例"]),
    st.text("ab1-_é", min_size=1, max_size=5),
)
_number = st.builds(
    "{}{}{}{}".format,
    st.sampled_from(["", "", "", "-", "+", "--", "- ", "."]),
    st.integers(0, 10**7),
    st.sampled_from(["", "", ".5", ".", ",000", ".0.1", "%", "€", "kg"]),
    st.sampled_from(["", "", "e5", "E-6", "e+07", "e", "e-"]),
)
_host = st.builds(
    "{}.{}{}".format,
    st.lists(_label, min_size=1, max_size=3).map(".".join),
    st.sampled_from(["com", "org", "example", "io", "c", "12", "com."]),
    st.sampled_from(["", "", ":80", ":", ":port"]),
)
_path = st.builds(
    "{}{}{}".format,
    st.sampled_from(["/", "/", "./", "../", "~/", "//", "C:\\", "a/"]),
    st.lists(_label, max_size=3).map("/".join),
    st.sampled_from(["", "/", ".so", ".tar.gz", "?c=d&e=f", "#top", "/*", "%20x"]),
)
_url = st.builds(
    "{}{}{}".format,
    st.sampled_from(["", "https://", "http://", "HTTP://", "ftp://", "postgresql://", "mailto:", "x://"]),
    _host,
    st.one_of(st.just(""), _path),
)
_email = st.builds(
    "{}@{}".format,
    st.one_of(_label, st.sampled_from(["maya+test", "a.b", "a-b_c", "1", "+", "maya@x", "é"])),
    st.one_of(_host, st.sampled_from(["localhost", "-x.com", "a..b", ""])),
)
_version = st.builds(
    "{}{}{}".format,
    st.sampled_from(["v", "V", "", "python", "py-", "release_"]),
    st.lists(st.integers(0, 99).map(str), min_size=2, max_size=4).map(".".join),
    st.sampled_from(["", "-rc.1", "rc1", "+build.5", "-beta-2", ".dev0", "."]),
)
_hyphens = st.lists(_label, min_size=2, max_size=4).map("-".join)
_code = st.builds(
    "{}-{}-{}".format,
    st.sampled_from(["ERR", "ISO", "x"]),
    st.integers(0, 9999),
    st.sampled_from(["B", "a1", "1a", ""]),
)
_anything = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1, max_size=12)
_corners = st.text("ab1 -.@/:_<>&\"'é我\u200b+%~", min_size=1, max_size=16)

KINDS: Final[Mapping[str, Texts]] = {
    "words": st.sampled_from(WORDS),
    "numbers": _number,
    "e-mails": _email,
    "URLs": _url,
    "hosts": _host,
    "paths": _path,
    "versions": _version,
    "hyphens": st.one_of(_hyphens, _code),
    "signs": st.text("!#$%*+,./:;=?@[]^_{}~§°±×", min_size=1, max_size=3),
    "quotes": st.sampled_from(QUOTES),
    "operators": st.sampled_from(OPERATORS),
    "markup": st.sampled_from(MARKUP),
    "scripts": st.sampled_from(SCRIPTS),
    "emoji": st.sampled_from(EMOJI),
    "white space": st.sampled_from(SPACES),
    "any characters": st.one_of(_anything, _corners),
}
"""What texts and queries are put together from."""

_pieces = st.one_of(*KINDS.values())
_between = st.sampled_from([" ", " ", " ", "", "-", ".", "/", ", ", "\n"])
_texts = st.builds(lambda pieces, between: between.join(pieces), st.lists(_pieces, min_size=1, max_size=8), _between)

_asked = st.sampled_from(
    ["{}", "{}", "-{}", '"{}"', '-"{}"', '"{}', "{} tea", "tea or {}", "{} OR {}", "-{} tea", "'{}'"]
)
"""How a piece of a text is asked for."""


@st.composite
def batches(draw: st.DrawFn, *, texts: int, queries: int) -> Batch:
    """Put together texts and queries: half of the queries of their own, half of pieces of the texts."""
    drawn = draw(st.lists(_texts, min_size=texts, max_size=texts))
    own = draw(st.lists(_texts, min_size=queries // 2, max_size=queries // 2))
    return Batch(drawn, [*own, *(draw(_query_for(drawn)) for _ in range(queries - len(own)))])


@st.composite
def _query_for(draw: st.DrawFn, texts: Sequence[str]) -> str:
    text = draw(st.sampled_from(texts))
    begin = draw(st.integers(0, max(0, len(text) - 1)))
    piece = text[begin : begin + draw(st.integers(1, 24))]
    whole_words = " ".join(text.split()[:3]) or text
    return draw(_asked).replace("{}", draw(st.sampled_from([piece, whole_words, piece.upper(), piece.strip()])))
