"""Words in many scripts, stems, pieces and entries."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spoken_passages import START, spoken_passages
from wellkept.rules.recall.cutting import PIECE_WORDS, pieces_of, weight_of
from wellkept.rules.recall.entry import Entry, analysed, spoken
from wellkept.rules.recall.index import Asked, Index
from wellkept.rules.recall.stemming import stem

DECOYS = ("We met yesterday at noon.", "全然違う話をした", "전혀 다른 이야기", "совсем другое дело", "شيء آخر تماما")

FOUND = [
    ("I adopted two cats", "cat"), ("She was hiking alone", "hikes"), ("He hiked alone", "hiking"),
    ("the parties were loud", "party"), ("We organised a picnic", "organising picnics"), ("ERR4092B came up", "4092"),
    ("see app.py for it", "app.py"),
    ("write to user@example.com", "user@example.com"), ("getUserName failed", "user name"),
    ("I learn c++ now", "c++"), ("call 555-0100", "5550100"), ("I don't know Kraków", "krakow"),
    ("le café est fermé", "cafe"), ("CAFÉ CENTRAL", "café"),
    ("die Straße ist lang", "strasse"), ("Übung macht Meister", "ubung"),
    ("El niño juega al fútbol", "futbol"), ("São Paulo é grande", "sao paulo"), ("Łódź jest piękna", "lodz"),
    ("İstanbul çok güzel", "istanbul"), ("tôi thích phở", "pho"),
    ("Žluťoučký kůň", "zlutoucky"), ("smørrebrød er godt", "smorrebrod"),
    ("ﬁne ｗｉｄｅ text", "fine wide"),
    ("我喜欢在海里游泳", "游泳"), ("我喜歡吃蘋果", "蘋果"), ("北京大学在海淀区", "海淀"), ("他买了一本书", "书"),
    ("東京タワーに登った", "タワー"), ("猫がソファで寝ている", "ソファ"), ("さくらがさいた", "さくら"),
    ("来週引っ越します", "引っ越し"),
    ("수영을 좋아해요", "수영"), ("어제 제주도에 갔다", "제주도"), ("김치찌개를 먹었다", "김치찌개"),
    ("я читаю книгу", "книга"), ("мы купили машину", "машина"), ("ёлка стоит", "елка"), ("Київ чудовий", "київ"),
    ("Η Αθήνα είναι όμορφη", "αθηνα"), ("ΟΔΟΣ Ερμού", "οδός"),
    ("ذهبت إلى المدرسة", "مدرسة"), ("أُحِبُّ السِّباحة", "السباحة"),
    ("کتاب خوبی است", "کتاب"), ("הלכתי לבית הספר", "בית"),
    ("मुझे तैरना पसंद है", "तैरना"), ("दिल्ली में रहता हूँ", "दिल्ली"),
    ("ฉันชอบว่ายน้ำ", "ว่ายน้ำ"), ("আমি বই পড়ি", "বই"),
    ("நான் புத்தகம்", "புத்தகம்"), ("მე მიყვარს წიგნი", "წიგნი"), ("Ես սիրում եմ գիրք", "գիրք"),
]  # fmt: skip


@pytest.mark.parametrize("fast", [True, False])
@pytest.mark.parametrize(("text", "query"), FOUND, ids=[query for _, query in FOUND])
def test_words_are_found_in_whatever_script(text: str, query: str, fast: bool) -> None:
    rows = [
        row
        for at, said in enumerate([*DECOYS, text, *DECOYS])
        for row in spoken_passages(said, number=at, session=f"s{at}")
    ]
    index = Index(fast=fast)
    index.apply(rows, ())
    (first, *_) = index.search(Asked(text=query))
    assert first.id == rows[len(DECOYS)].passage.id


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("consignment", "consign"), ("knightly", "knight"), ("kneeling", "kneel"), ("dying", "die"), ("skies", "sky"),
        ("hopping", "hop"), ("hoping", "hope"), ("generously", "generous"), ("communal", "communal"), ("cries", "cri"),
        ("ties", "tie"), ("gas", "gas"), ("this", "this"),
    ("kiwis", "kiwi"), ("agreed", "agre"), ("controll", "control"),
        ("relational", "relat"), ("electricity", "electr"), ("hopefulness", "hope"), ("adjustment", "adjust"),
        ("adoption", "adopt"), ("geologist", "geolog"), ("news", "news"), ("say", "say"), ("enjoying", "enjoy"),
        ("o2", "o2"), ("café", "café"),
    ],
)  # fmt: skip
def test_english_words_become_snowballs_stems(word: str, expected: str) -> None:
    assert stem(word) == expected


@given(st.text(max_size=3_000))
def test_pieces_are_the_text(text: str) -> None:
    assert "".join(pieces_of(text)) == text


@pytest.mark.parametrize(
    "text",
    ["A short sentence of seven words here. " * 60, "word " * 1_000, "x" * 20_000, "海" * 3_000, "a\n\nb\n" * 400],
)
def test_long_messages_come_in_pieces_of_about_80_words(text: str) -> None:
    pieces = pieces_of(text)
    assert len(pieces) > 1
    assert all(piece for piece in pieces)
    assert max(map(weight_of, pieces)) <= PIECE_WORDS * 1.5


def test_a_sentence_is_not_parted_when_it_fits() -> None:
    pieces = pieces_of("One two three four five. " * 40)
    assert all(piece.startswith("One") and piece.rstrip().endswith("five.") for piece in pieces)


@given(st.text(max_size=300))
def test_an_entry_is_read_as_it_was_written(text: str) -> None:
    entry = analysed(text)
    read = Entry.decode(entry.encode())
    assert read is not None
    assert (list(read.ordered), list(read.beside)) == (list(entry.ordered), list(entry.beside))


def test_an_entry_of_another_version_is_not_read() -> None:
    assert Entry.decode(b"\x63nonsense") is None
    assert Entry.decode(b"") is None


def test_an_embedder_is_told_when_and_who() -> None:
    assert spoken("Ann", START, "Hello.") == "(8 May 2023) Ann: Hello."
