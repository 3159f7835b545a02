"""The kind of every character, as PostgreSQL's default text parser sees it.

The parser asks four things of a character: is it a letter (`iswalpha`), a
digit, white space (`iswspace`), or a mark that does not break a word (its
display width is zero, or it is a spacing combining mark). The answers below
were measured on PostgreSQL 15 with glibc's C.UTF-8, code point by code point,
and are frozen here rather than asked of `unicodedata`: a stored vector must
not change with the Python that made it.
"""

import re
from collections.abc import Callable
from functools import cache
from typing import Final

LETTER: Final = 0x80
MARK: Final = 0x81
SPACE: Final = 0x82
OTHER: Final = 0x83
END: Final = 0x84

_KINDS: Final = {"a": LETTER, "s": MARK, "w": SPACE, "o": OTHER}

# Runs from U+0080 on: a length in base 36 (left out when it is 1), then the
# kind: `a` letter, `s` mark inside a word, `w` white space, `o` other. What
# follows the last run is other.
_RUNS: Final = (
    "16oaAoa4oa5oNaoVaoCQa4oCaEo5a7oaoaHo1Xsa16s5ao2a2o4aoa6oao3aoaoKao2Bao3Vao7s4Mao12a2oa6o15a8"
    "oVsEaoao2ao2aoa8oRa4o4aToBa5o1KasHa4o2Uao8a2o2s8ao3sGa2oaGo1CaBs2o2TaEo17a9s2a4oa2os2oOa2sJa"
    "sIoPa3s4oBa5oOao6a9o8s16aAsCa2so7a6s24asGas3a4sFa2oAaoJao8a2o2a2oMao7aoa3o4a2os8a2o2a2o2asa8"
    "oa4o2ao5a2oCaAoao3s3ao6a4o2a2oMao7ao2ao2ao2a2oso5a4s2a2s2a4sa7o4aoa7oGaBo3ao9ao3aoMao7ao2ao5"
    "a2os9as3ao2as2oaFo4a2oAa9o4a4s3ao8a2o2a2oMao7ao2ao5a2os8a2o2a2o2a9s2a4o2ao5a2oAaoaGo2ao6a3o3"
    "ao4a3o2aoao2a3o2a3o3a3oCa4o5a3o3ao3as2oa6oaEoAaGo4as8ao3aoNaoGa2os8ao3as3a8s2ao3a2oa2o4a2oAa"
    "Go4ao8ao3aoNaoAao5a2os8ao3ao3as7o2a6o2ao4a2oAao2aDoDao3ao15a2s8ao3ao3asa5o4a7o5a2oAaAo6ao3ao"
    "Ia3oOao9aoa2o7a3os4o6asao8a6oAa2o2aDo1Ma5o7a6sasoAa13o2aoao5aoOaoaoJas3a2o5aoao5sa2oAa2o4aWo"
    "aNo2s6oAaBososos4o2s8ao10a4oHa3so2sGas10a9os1Lo1Jasa2sFa6o26a2o12aoa5oa2o17ao99ao4a2o7aoao4a"
    "2o15ao4a2oXao4a2o7aoao4a2oFao1Lao4a2o1Va2o3sWoGaGo2Ea2o6a3oH8a2oHawQa5o23a3oBa7oKasAoLaCoKaC"
    "oDao3ao2aCo1Ga2sJaBs3oa4oas2oAaXo3sosAa6o2Ha7o17a5o1YaAoVaoCa4o9a3sAo14a2o5aBo18a4oQa6oAa12o"
    "Sa4o1Ra2sKaBsAa6oAaDoa8oFs2aBs3a1Ds1GasFas8a3oAaHo9sCo16a2s1MasBaEo1Jas8oAa3o1Da2o9a7o17a2o3"
    "aGo3soDso7s4as6as2ao2sa5o5Ca13sEaBs7Qa2o6a2o12a2o6a2o8aoaoaoaoVa2o1Hao7aoa3o3ao7a3o4a2o6a4oD"
    "a5o3ao7a3o7wo3wTo2w1HowHoaDoaGoDa1FoXsHoa4oa2oAaoa3o5a6oaoaoao4aoBa2o4a5o5a4oaHo15aMLo1Ga1EE"
    "o6Da6o4a3s2aCo12aoa5oa2o1Ka7oaFosNa9o7ao7ao7ao7ao7ao7ao7ao7aoWa1BoaCWow4o3aPo9a4s3o5a2o5a4o2"
    "Ea2o2s2o3ao2Iao4a5o17ao2MaHoWa1CoGaE8o534a1SoH3Ha1Vo1Aa2o7Ha3oSaKo1Ba4so8a2so35a2s11o9a2o2Va"
    "2o1Sa5o2aoao5aOoKasXa4osJo1GaCo1WasaAoAa6oIs6a3oao1Aa3s2oZasCoTa3o1FasCaFoBa6oVao1Ja9oEa2oAa"
    "6oNa3o1XasasaOo3a2oGa2o4asAo6a2o6a2o6a9o7ao7ao17aoEa6o3Fa2os2oAa6o8MCaCoNa4o1Da6ISoA6a2o2Ya1"
    "2o7aCo5a5oCaoDao5aoao2ao2ao30aXoA3aIo1Sa2o1Ia14oCa4oGsGoGs1So5ao3RaJoAa7oQa6oQaBo2Ha3o6a2o6a"
    "2o6a2o3aZoCaoQaoJao2aoFa2oEaYo3Fa1Xo1Ha3Sos3MoTa3o1DaFosVoWaDoUa5o17a5oUa2o10a4o8ao5a16o4Ea2"
    "oAa6o10a4o10a4o14a8o1GaCoBaoFao7ao2aoBaoFao7ao2a1Vo8Na9oMaAo8aOo6ao16ao9a1Xo6a2oao18ao2a3oa2"
    "oNaAoNa9oVa1ToJao2aAoMaAoQa1Yo1Ka6o2a1So4as2a5s8ao3aoTa2o8sWoTa3oTaZo8aoSa2sPo1IaAoMaAoJaDoI"
    "a32o21a1Jo1FaDo1FaDo14a8oAa92o16ao2a3o2a26oTaAoa8oMaBsVoIa4s16oLaRoNa9o1YasVoAas5a9o3s1Ja2s7"
    "oaDoPa7oAa6o1Fa2soAa4o4a8oZas2oa9o1Sao4a4o4soDaoaZoIaoYaosa6oa1To7aoao4aoFaoAa7o1La2s5oAa6o4"
    "ao8a2o2a2oMao7ao2ao5ao2s8a2o2a2o2a3oa6oa5o7a2oFs3Vo1Uas3as4a5oAa4os3aUo1Ua2s2aoa8oAa4Mo1Ia2o"
    "7a2sNo6aYo1Rasa3oaBoAa12o1Iaosa7oAa1IoRa2oEas4oAa6o7a55o1La2s2To22aLo8a2oa2o8ao2aoUao2a2o2ao"
    "s4asCoAa1Yo8a2o1Aa2s6asao2aRo1Fa2sAa8os8o20a2s3oaIo21a7Bo9ao19as7asaFoAaOoUa2oMaoEa21o7ao2ao"
    "18a3sas2as3asa2s2a8oAa6o6ao2ao11ao2ao4asa7oAa8MoNa55oa27oPMa2Uo33aHo5Ga218o2PaFoTRa34HoG7a6N"
    "ToFTa7oVaoAa6o27aoAa6oUa2o5sBo1Ca7s9o4aCoAa9oLa5oJaJ4o1Sa3Ko23a4o1La7oHa1So2aoasBo2aEo4QGa8o"
    "YEa16o9a6W7o4ao7ao2ao83a19o3aHo4a8oB0a1S4o2Za5oDa3o9a7oAa3osa3MPo1ZsF4o3sHo8s2o7sUo4s44o3sCB"
    "o2Dao1Zao2a2oa2o2a2o4aoCaoao7ao1Tao4a2o8ao7aoSao4ao5aoa3o7ao9Ga2oPaoPaoVaoPaoVaoPaoVaoPaoVao"
    "Pao8a2o1EaE8o1Js4o1Es8osEosMoLsUOoVa69o7asHa2s7as2as5a5Xo19a3o7s7a2oAa4oa8XoUasHo18a4sAaYUo7"
    "ao4ao2aoFao5HaBo7s15o1Wa3sa3sa4oAaX2o4aoRao2aoa2oaoAao4aoaoa6oa4oaoaoao3ao2aoa2oaoaoaoaoao2a"
    "oa2o4ao7ao4ao4aoaoAaoHa5o3ao5aoHaHGoQa6oQa6oQa21YoAaSMoWYOaWo37Da7o66a2o4G2aEo5RLa2E7oF2a15U"
    "o3T7aFCMTo6Os"
)


@cache
def _table() -> bytes:
    parts = [bytes(range(0x80))]
    parts += [
        bytes([_KINDS[kind]]) * (int(length, 36) if length else 1)
        for length, kind in re.findall(r"([0-9A-Z]*)([aswo])", _RUNS)
    ]
    table = b"".join(parts)
    return table + bytes([OTHER]) * (0x110000 - len(table))


def kinds(text: str) -> bytes:
    """Return one byte for each character: ASCII stands for itself, the rest for its kind."""
    if text.isascii():
        return text.encode("ascii")
    return bytes(map(_table().__getitem__, map(ord, text)))


def lower(word: str) -> str:
    """Lower-case each character on its own, as `towlower` does.

    `str.lower` looks around a sigma and turns a dotted capital I into two
    characters; `towlower` does neither.
    """
    if word.isascii():
        return word.lower()
    return word.replace("\u0130", "i").replace("\u03a3", "\u03c3").lower()


_NOT_IN_URLS: Final = b'"<>\\^`{|}'


def _digit(kind: int) -> bool:
    return 0x30 <= kind <= 0x39


def _letter(kind: int) -> bool:
    return 0x41 <= kind <= 0x5A or 0x61 <= kind <= 0x7A


def _alpha(kind: int) -> bool:
    return _letter(kind) or kind == LETTER


TESTS: Final[dict[str, Callable[[int], bool]]] = {
    "any": lambda kind: True,
    "end": lambda kind: kind == END,
    "digit": _digit,
    "letter": _letter,
    "alpha": _alpha,
    "mark": lambda kind: kind == MARK,
    "space": lambda kind: kind == SPACE or kind in b" \t\n\v\f\r",
    "gap": lambda kind: kind != END and not _alpha(kind) and not _digit(kind),
    "hex": lambda kind: _digit(kind) or kind in b"abcdefABCDEF",
    "url": lambda kind: 0x20 < kind < 0x7F and kind not in _NOT_IN_URLS,
}
