"""Words so common that they are no evidence on their own."""

from typing import Final

# Line by line: English, German, French, the other Romance languages, Dutch to
# Indonesian, Russian and Ukrainian, Greek, Arabic, Persian, Hebrew, Hindi, Korean.
# Words that are also English content words (`son`, `est`) are left to their idf.
_WORDS: Final = """
a about am an and any are as at be been but by can could did do does for from had has have
he her him his how i if in into is it its let me my of on or our s she should so t d m ll re
ve than that the their them then there these they this to was we were what when where
which who whom whose why will with would you your
der das den dem des ein eine einen einem einer und oder ist sind war mein meine meinen
meiner ich du er sie es wir ihr mir mich dir dich wie wo wann wer welche welcher welches im
in zu zum zur von vom mit auf für nicht auch hat habe haben
le la les un une des du de et ou sont je tu il elle nous vous mon ma mes ta tes
sa ses que qui quoi quel quelle quels quelles où quand dans sur avec ce cette
ai as à au aux l n qu j
el los las una y o es mi mis tu su sus que qué quien quién cual cuál cuando cuándo donde
dónde como cómo para por con en al del se lo yo um uma e é são meu minha meus minhas seu
sua qual onde quando no na do da em il lo gli uno che chi di mio mia è ho
het een en van ik mijn wat waar wie hoe op met naar voor och är jag mitt vad hur på
som att jest są czy moje mój moja gdzie kiedy jak do na się ja mikä missä milloin kuka on ja
minun ne ve bir bu mi mı mu mü benim nerede nedir của là tôi và gì yang di dan saya apa
и в во на не что как где когда кто с со у к по за из от до для это я мы ты вы он она они мой
моя моё мое мои какой какая какое какие ли же бы є та що як де мій моя яка який
ο η το οι τα και του της των τον την με σε για από που τι πού πώς πότε είναι μου σου ποιο
في من إلى على عن ما هو هي هل أين متى كيف أنا و يا هذا هذه که از به در را این چه کجا کی من است
של את מה מי איפה מתי איך זה זאת הוא היא אני על עם לא יש שלי
है हैं का की के को में से पर और क्या कहाँ कब कौन मेरा मेरी मेरे यह वह मैं हूँ ने
제 내 나 저 이 그 저는 나는 무엇 뭐 어디 언제 누구 어떻게 뭐예요 무엇입니까 있어요
"""
_PIECES: Final = """
です ます した して する いる てい あり ある りま ませ せん から ので けど こと もの これ それ
どこ いつ です でし まし った いま すか ない なに なん たち には では とは のは
니다 습니 입니 합니 하는 에서 으로 입니 에는 어요 아요 해요 예요 이에 에요 니까 인가 가요 나요
"""

COMMON: Final = frozenset(_WORDS.split())
"""Whole words; few on purpose: how many rows have a word counts too."""

COMMON_SIGNS: Final = frozenset(
    "的了是我你您他她它们們这這那在有和与與吗嗎呢吧啊不就都也很要会會能个個为為之其什么麼甚哪谁誰怎样樣何私僕"
)
"""Chinese and Japanese characters that say little; a pair that holds one is no evidence."""

COMMON_PIECES: Final = frozenset(_PIECES.split())
"""Endings and particles, as the substrings that Japanese and Korean are searched by."""
