"""Writes golden.jsonl: texts and the tokens that Hugging Face's tokenizers gives for them.

    pip install tokenizers==0.23.3
    python generate.py ../../model/vocab.txt > golden.jsonl
"""

import json
import random
import sys
import unicodedata

from tokenizers import BertWordPieceTokenizer

# Each of these ranges is drawn from as often as its place here says. U+061D became punctuation in Unicode 14, which
# not all of these libraries know.
RANGES = [
    (0x20, 0x7E), (0x20, 0x7E), (0xA0, 0x17F), (0x370, 0x3FF), (0x400, 0x4FF), (0x4E00, 0x4EFF), (0xAC00, 0xACFF),
    (0x3040, 0x30FF), (0x600, 0x61C), (0x900, 0x97F), (0x1F300, 0x1F6FF), (0x2000, 0x206F), (0x300, 0x36F), (0, 0x1F),
    (0x1E00, 0x1EFF), (0xFF00, 0xFFEF), (0x20000, 0x20100), (0x2B820, 0x2BA00), (0xF900, 0xFAFF), (0xE000, 0xE010),
    (0x80, 0x9F), (0x1D400, 0x1D4FF),
]

WRITTEN = [
    "", "   ", "The cat sat on the mat.", "naïve café, déjà vu", "İstanbul ve Iğdır", "Straße ẞ", "don't stop", "ﬁne ﬂow",
    "e\u0301 and é", "Å Å", "한국어 문장", "ὈΔΥΣΣΕΎΣ", "我爱北京天安门", "東京へ行きます", "Привет, как дела?",
    "\ufeffbyte order mark", "zero\u200bwidth\u200djoiner", "replaced \ufffd here", "tab\tand\rreturn", "no\u00a0break\u2028line",
    "[CLS] hi [SEP]", "the [MASK] of zorro", "[mask] [cls]", "[UNK][PAD]", "$5.00 + 3^2 = ~14 | `x`", "a" * 100, "a" * 101,
    "x" * 300 + " end", "unaffable embeddings supercalifragilisticexpialidocious", "👩‍👩‍👧 and 🇩🇪", "\U0001d54f\U0001d550 math",
    "semi-final; 3,000 km/h", "it’s “quoted” – and…",
]


def draw(rng, words):
    text = ""
    for _ in range(rng.randint(1, 5)):
        kind = rng.random()
        if kind < 0.5:
            text += rng.choice(words).replace("##", "")
        elif kind < 0.6:
            text += rng.choice(words).replace("##", "").title()
        else:
            low, high = rng.choice(RANGES)
            for _ in range(rng.randint(1, 4)):
                c = chr(rng.randint(low, high))
                if unicodedata.category(c) != "Cn":
                    text += c
        if rng.random() < 0.6:
            text += rng.choice([" ", " ", "  ", "\t", "\n", "\u00a0", ". ", ", "])
    return text


def main():
    tokenizer = BertWordPieceTokenizer(sys.argv[1], lowercase=True)
    with open(sys.argv[1], encoding="utf-8") as f:
        words = [line.rstrip("\n") for line in f][1000:]
    rng = random.Random(1)
    for text in WRITTEN + [draw(rng, words) for _ in range(400)]:
        print(json.dumps({"text": text, "ids": tokenizer.encode(text).ids}))


main()
