"""What people look for: texts with queries that must find them, and strings that must be legal queries."""

QUERIES = [
    "heliotrope-accents", "C++", "user@example.com", "what?", '"unbalanced', "AND", "OR", "NOT x", "*", "foo:bar", "`",
    "(", ")", "NEAR(a b)", "a AND", "^", "-", "--", "''", "';--", "\\", "{}", "[]", "col : x", "%", "_", "?", "🙂",
    "的", "the", "port 9077", "13 July 2024", "十万年前", "0000-99-99", "\u202e", "\ufeff", "e\u0301", "a\u2028b",
    "x" * 500, "\t", "or or or", "- -x", '""', "a|b&c!d<->e", ":*", "1e309", "NaN", "NULL",
]  # fmt: skip


LOOKED_FOR = [
    ("本周的销售报告已经完成", "销售 报告"),  # FIND-82
    ("我喜欢紫色", "紫色"),  # FIND-84
    ("제 이름은 민수입니다", "민수"),
    ("Python으로 작성된 코드", "Python"),
    ("we met at the café", "cafe"),
    ("crème brûlée, please", "creme brulee"),
    ("the failure was ERR-4092-B", "4092"),  # FIND-86
    ("see /usr/local/bin/app.py", "app.py"),
    ("write to user@example.com", "example"),
    ("heliotrope accents", "helio"),
    ("любимый цвет — синий", "цвет"),  # FIND-97
    ("любимый цвет — синий", "какой любимый цвет?"),
    ("lives in the USA", "USA"),
    ("DOB is 1990-02-03", "DOB"),
    ("has a cat", "cat"),
    ("لوني المفضل هو الأزرق", "الأزرق"),
    ("the server listens on port 9077", "port 9077"),  # FIND-93
    ("it was on 13 July 2024", "13 July 2024"),
    ("十万年前の話です", "十万年前"),
]
