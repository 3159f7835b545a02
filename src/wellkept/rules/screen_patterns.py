"""The patterns of the first screen."""

import re
from typing import Final, Literal, NamedTuple

Reading = Literal["shape", "words", "plain"]
"""How a text is read: with its marks, as words in its own script, or as plain Latin words."""


class Pattern(NamedTuple):
    """One kind of attack. `certain`: no note about anything looks like that."""

    name: str
    reading: Reading
    expression: re.Pattern[str]
    certain: bool = False


_DROP: Final = (
    r"(?:ignore|disregard|forget|override|bypass|discard|neglect|skip"
    r"|(?:do not|don't|stop|never) (?:follow|obey)(?:ing)?"
    r"|pay no attention to)"
)
_FILL: Final = r"(?:(?:all|any|of|the|your|my|these|those|every|each|you|were|was|given) ){0,5}"
_EARLIER: Final = (
    r"(?:previous|prior|earlier|above|preceding|existing|original|initial|system|developer|safety|other|past)"
)
_ORDERS: Final = (
    r"(?:instructions?|prompts?|rules|directives?|guidelines?|commands?|polic(?:y|ies)|programming|constraints)"
)
# "… the safety instructions on the bottle", "… the previous instructions from the landlord": not the model's.
_NOT_OF_A_THING: Final = (
    r"(?! (?:on|from|for|of|by|at|about|in|to|regarding)"
    r"(?! (?:the |your |this |that |my )?(?:system|prompt|developer|conversation|chat|context|openai|anthropic)))"
)
_TEMPLATE_TOKENS: Final = (
    r"<\|\s*(?:im_start|im_end|im_sep|system|user|assistant|end|endoftext|eot_id|start_header_id|end_header_id"
    r"|begin_of_text|start_of_role|end_of_role|endofprompt|fim_\w+)\s*\|>"
    r"|<｜[^｜\n]{1,40}｜>"
)
_TEMPLATE_WORDS: Final = r"\[/?inst\]|<</?sys>>|<(?:start|end)_of_turn>|\[/?system_prompt\]"


def _compiled(expression: str) -> re.Pattern[str]:
    return re.compile(expression)


# "Ignore the previous instructions", in languages whose plain form is unmistakable. What the instructions are of
# (a landlord, a bottle) follows in most of them, so the sentence must go on with something else or end.
_END: Final = r"(?=\s*(?:$|[.,;:!?।。،]| (?:and|und|et|e|y|i|en|og|och|ve|dan|a|и|та|і|και)\b))"
_ABROAD_PLAIN: Final = (
    r"(?:ignorier\w*|missacht\w*|vergiss\w*|vergesst) (?:bitte )?(?:alle |samtliche )?(?:die |deine |meine )?"
    r"(?:vorherigen|bisherigen|fruheren|obigen|vorangegangenen) (?:anweisungen|instruktionen|regeln|befehle)" + _END,
    r"(?:ignore[zr]?|oublie[zr]?|ne tiens? pas compte d\w*) (?:toutes? |tous )?(?:les |tes |vos )?"
    r"(?:instructions|consignes|regles|directives) (?:precedentes|anterieures|ci-dessus)" + _END,
    r"(?:ignora|ignore|olvida|olvide|omite) (?:todas? |todos )?(?:las |tus |los )?"
    r"(?:instrucciones|reglas|ordenes|indicaciones) (?:anteriores|previas)" + _END,
    r"(?:ignora|dimentica|trascura) (?:tutte )?(?:le |tutte le |tue )?"
    r"(?:istruzioni|regole|direttive) (?:precedenti|anteriori)" + _END,
    r"(?:ignore|esqueca|desconsidere) (?:todas? )?(?:as |suas |todas as )?"
    r"(?:instrucoes|regras|ordens|diretrizes) (?:anteriores|previas)" + _END,
    r"(?:negeer|vergeet) (?:alle )?(?:de )?(?:voorgaande|vorige|eerdere) (?:instructies|regels|opdrachten)" + _END,
    r"(?:ignoruj|zignoruj|zapomnij) (?:o )?(?:wszystkie |wszystkich )?(?:poprzednie|poprzednich|wczesniejsze) "
    r"(?:instrukcje|instrukcji|polecenia|polecen|zasady)" + _END,
    r"(?:ignoruj|zapomen) (?:vsechny |na vsechny )?(?:predchozi|drivejsi) (?:instrukce|pokyny|pravidla)" + _END,
    r"(?:onceki|daha onceki) (?:tum )?(?:talimatlari|komutlari|kurallari)n? (?:goz ardi et|yok say|unut)",
    r"(?:ignorera|glom) (?:alla )?(?:tidigare|foregaende) (?:instruktioner|regler)" + _END,
    r"(?:abaikan|lupakan) (?:semua )?(?:instruksi|perintah|aturan) (?:sebelumnya|di atas)",
    r"bo qua (?:tat ca )?(?:cac )?(?:huong dan|chi thi|chi dan|lenh|quy tac) (?:truoc|o tren|ben tren)",
)
_ABROAD_WORDS: Final = (
    r"(?:игнорируй(?:те)?|проигнорируй(?:те)?|забудь(?:те)?|не следуй(?:те)?) (?:о |про )?"
    r"(?:все |всех |всем )?(?:свои |твои )?"
    r"(?:предыдущи\w+|прежни\w+|прошлы\w+|предшествующи\w+) (?:инструкци\w+|указани\w+|правил\w*|команд\w*)" + _END,
    r"(?:ігноруй(?:те)?|забудь(?:те)?) (?:про )?(?:усі |всі )?(?:попередні|минулі) (?:інструкції|вказівки|правила)"
    + _END,
    r"(?:忽略|无视|無視|忘记|忘記|忽視|忽视|不要理会|不要遵守)(?:掉)?(?:你)?(?:之前|以前|以上|先前|上面|前面)?(?:的)?"
    r"(?:所有|全部|一切)?(?:之前|以前|以上|先前|上面|前面|系统|系統)(?:的)?(?:所有|全部|一切)?(?:指令|指示|提示|规则|規則|命令)",
    r"(?:これまで|以前|上記|前|今まで|以上)の?(?:すべての|全ての|全部の)?(?:指示|命令|ルール|プロンプト)を?(?:すべて|全て)?"
    r"(?:無視|忘れ)",
    r"(?:이전|지금까지|위|앞)의?\s?(?:모든\s?)?(?:지시|명령|지침|프롬프트|규칙)\s?(?:사항)?(?:을|를|은|는)?\s?(?:모두\s?|전부\s?)?"
    r"(?:무시|잊)",
    r"(?:تجاهل|انس|انسَ|أهمل)\s(?:جميع\s|كل\s)?(?:ال)?(?:تعليمات|أوامر|قواعد|توجيهات)\s(?:ال)?(?:سابقة|السابقه)",
    r"(?:התעלם|התעלמי|שכח)\s(?:מכל\s|את\sכל\s|מ)?(?:ה)?(?:הוראות|הנחיות|כללים)\s(?:ה)?קודמ",
    r"(?:دستورات|دستورالعمل\s?های|دستورهای)\s(?:قبلی|پیشین)\s(?:را|رو)\s(?:نادیده|فراموش)",
    r"(?:पिछले|पहले के|पूर्व)\s(?:सभी\s|सारे\s)?(?:निर्देशों|निर्देश|आदेशों|नियमों)\s(?:को\s)?(?:अनदेखा|नज़रअंदाज़|नजरअंदाज|भूल)",
    r"(?:เพิกเฉย|ไม่ต้องสนใจ|ละเว้น|ลืม)(?:ต่อ)?(?:คำสั่ง|คำแนะนำ)(?:ทั้งหมด)?(?:ก่อนหน้า|ที่ผ่านมา|ก่อนหน้านี้|ข้างต้น)",
    r"(?:αγνόησε|αγνοήστε|ξέχασε) (?:όλες )?(?:τις )?(?:προηγούμενες|παραπάνω) (?:οδηγίες|εντολές)",
)

PATTERNS: Final = (
    Pattern("template_token", "shape", _compiled(_TEMPLATE_TOKENS), certain=True),
    Pattern("template_word", "shape", _compiled(_TEMPLATE_WORDS)),
    Pattern(
        "role_tag",
        "shape",
        _compiled(r"</?\s*(?:system|developer|admin|jailbreak|working_memory|system[ _-]?(?:prompt|message))\s*>"),
    ),
    Pattern(
        "role_line",
        "shape",
        _compiled(
            r"(?:^|\n)[ \t#>*`-]*(?:system|developer)(?: prompt| message)?\s*[:>]\s*[^\n]{0,40}"
            r"\byou\b (?:\w+ ){0,2}?(?:must|will|shall|are|have|should)\b"
        ),
    ),
    Pattern(
        "role_object",
        "shape",
        _compiled(r"[\"']?role[\"']?\s*:\s*[\"']?(?:system|developer)[\"']?\s*(?:,|\n|\})"),
    ),
    Pattern(
        "dialogue",
        "shape",
        _compiled(
            r"\n[ \t\r]{0,9}\n(?:human|user):[^\n]+\n[ \t\r]{0,9}\nassistant:"
            r"|\n[ \t\r]{0,9}\nassistant:[^\n]+\n[ \t\r]{0,9}\n(?:human|user):"
        ),
    ),
    Pattern("drop_instructions", "plain", _compiled(rf"\b{_DROP} {_FILL}(?:{_EARLIER} )+{_ORDERS}\b{_NOT_OF_A_THING}")),
    Pattern(
        "drop_instructions",
        "plain",
        _compiled(rf"\b{_DROP} {_FILL}{_ORDERS} {_FILL}(?:above|before this|so far)\b"),
    ),
    Pattern(
        "drop_everything",
        "plain",
        _compiled(
            r"\b(?:forget|ignore|disregard) (?:everything|all(?: of)?(?: that| this)?) "
            r"(?:you (?:were|have been|know|learned)|(?:that )?(?:was|is|came)? ?(?:above|before this))\b"
        ),
    ),
    Pattern(
        "drop_training",
        "plain",
        _compiled(
            r"\b(?:forget|ignore|disregard|override|pretend) (?:all |of |about )*your (?:\w+ )?"
            rf"(?:{_ORDERS}|training)\b"
        ),
    ),
    Pattern(
        "new_identity",
        "plain",
        _compiled(
            r"\byou are (?:now|from now on)(?: \w+)? (?:an? )?"
            r"(?:jailbroken|unrestricted|uncensored|unfiltered|dan\b|do anything now|evil|free of|free from)"
            r"|\byou (?:now )?have no (?:restrictions|limits|rules|filters)\b|\bdo anything now\b"
        ),
    ),
    Pattern(
        "special_mode",
        "plain",
        _compiled(
            r"\b(?:enter|enable|activate|switch to) (?:the )?(?:developer|debug|god|dan|jailbreak|unrestricted) mode\b"
            r"(?! (?:on|in|of) (?:the|his|her|my))"
        ),
    ),
    Pattern(
        "reveal_prompt",
        "plain",
        _compiled(
            r"\b(?:reveal|print|show|output|repeat|leak|display|encode|send|expose) (?:\w+ ){0,5}?"
            r"(?:system prompt|hidden (?:instructions|rules|configuration|prompt)"
            r"|your (?:initial |system )?(?:instructions|prompt))\b"
        ),
    ),
    Pattern(
        "new_orders",
        "plain",
        _compiled(
            r"\bnew (?:system )?instructions ?: "
            r"(?=.{0,80}\b(?:you|policy|safety|assistant|respond|answer|prompt)\b)"
        ),
    ),
    *(Pattern("drop_instructions_abroad", "plain", _compiled(one)) for one in _ABROAD_PLAIN),
    *(Pattern("drop_instructions_abroad", "words", _compiled(one)) for one in _ABROAD_WORDS),
)
