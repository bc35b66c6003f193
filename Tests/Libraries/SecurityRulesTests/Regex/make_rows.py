#!/usr/bin/env python3
"""Makes PythonRows.swift: the results of Python's `re` for patterns in the syntax that it shares with RE2.

    python3 make_rows.py > PythonRows.swift

Left out, since the two differ: `$` before a final line feed, `\\s` on a vertical tab, `\\Z`, `\\B` in the empty text, and
which of several matches is preferred where something is repeated that matches the empty text (such rows have no result
of a replacement).
"""
import random
import re

rnd = random.Random(20_240_607)
ALPHABET = list("abcABz019_-.@ ") + ["é", "É", "⏎"]
LETTERS = ["a", "b", "c", "A", "z", "0", "9", "_", "-", "@", r"\.", "é", " "]
CLASSES = ["[ab]", "[^a]", "[a-c]", "[^a-c0]", "[a-zA-Z0-9_]", r"[\w-]", r"[^\W_]", r"[\d.]", "[]a]", "[^]b]", "[A-C_-]", "[é-ü]"]
ESCAPES = [r"\d", r"\D", r"\w", r"\W", r"\x61", r"\141", r"\-", r"\@"]


class Node:
    """A part of a pattern; `sample` makes a text that it matches, but for assertions."""

    def __init__(self, text, sample, nullable=False, atom=True, ambiguous=False):
        self.text, self.sample = text, sample
        self.nullable, self.atom, self.ambiguous = nullable, atom, ambiguous


def literal(depth):
    letter = rnd.choice(LETTERS)
    return Node(letter, lambda: letter[-1])


def of_class(depth):
    text = rnd.choice(CLASSES + ESCAPES + [".", "."])
    members = [c for c in ALPHABET if re.fullmatch(text, c.replace("⏎", "\n"), re.ASCII)]
    return Node(text, lambda: rnd.choice(members))


def assertion(depth):
    return Node(rnd.choice(["^", r"\b", r"\B", r"\A", "(?:)"]), lambda: "", nullable=True)


def group(depth):
    inner = node(depth - 1)
    opening = rnd.choice(["(", "(?:", "(", "(?P<n%d>" % rnd.randrange(10**6), "(?i:", "(?s:", "(?m:"])
    return Node(opening + inner.text + ")", inner.sample, inner.nullable, True, inner.ambiguous)


def repeat(depth):
    inner = node(depth - 1)
    text = inner.text if inner.atom else "(?:" + inner.text + ")"
    low, high = rnd.choice([(0, None), (1, None), (0, 1), (2, 2), (1, 2), (2, None), (0, 3), (0, 0), (3, 5)])
    spelled = {(0, None): "*", (1, None): "+", (0, 1): "?"}.get(
        (low, high), "{%d}" % low if low == high else "{%d,%s}" % (low, "" if high is None else high))
    return Node(
        text + spelled + rnd.choice(["", "", "?"]),
        lambda: "".join(inner.sample() for _ in range(rnd.randint(low, low + 2 if high is None else high))),
        inner.nullable or low == 0, False, inner.ambiguous or inner.nullable)


def sequence(depth):
    parts = [node(depth - 1) for _ in range(rnd.randint(2, 4))]
    return Node(
        "".join(p.text for p in parts), lambda: "".join(p.sample() for p in parts),
        all(p.nullable for p in parts), False, any(p.ambiguous for p in parts))


def choice(depth):
    parts = [node(depth - 1) for _ in range(rnd.randint(2, 3))]
    return Node(
        "(?:" + "|".join(p.text for p in parts) + ")", lambda: rnd.choice(parts).sample(),
        any(p.nullable for p in parts), True, any(p.ambiguous for p in parts))


def node(depth):
    kinds = [literal, literal, of_class] if depth <= 0 else [
        literal, of_class, assertion, group, repeat, repeat, sequence, sequence, sequence, choice]
    return rnd.choice(kinds)(depth)


def texts(part):
    """One or two that may match, one nearly, one longer."""
    found = list(dict.fromkeys(part.sample() for _ in range(2)))
    text = rnd.choice(found)
    index = rnd.randrange(len(text) + 1)
    nearly = text[:index] + rnd.choice(ALPHABET) + text[index + 1:]
    return [t for t in dict.fromkeys(found + [nearly, nearly + text]) if len(t) < 40][-3:]


def replaced(pattern, text):
    """RE2's GlobalReplace with `<\\0>`, and the first group behind a bar if there is one."""
    out, position, last_end = "", 0, -1
    while position <= len(text):
        match = pattern.search(text, position)
        if not match:
            break
        out += text[position:match.start()]
        if match.start() == match.end() == last_end:
            if match.start() < len(text):
                out += text[match.start()]
            position = match.start() + 1
            continue
        out += "<" + match.group() + ("|" + (match.group(1) or "") if pattern.groups else "") + ">"
        position = last_end = match.end()
    return out + text[position:]


def lines(count):
    """One a pattern, with `count` texts in all."""
    lines, rows = [], 0
    while rows < count:
        part = node(4)
        if not 4 <= len(part.text) <= 60:
            continue
        try:
            pattern = re.compile(part.text, re.ASCII)
        except (re.error, OverflowError):
            continue
        columns = [part.text]
        for text in texts(part):
            plain = text.replace("⏎", "\n")
            # Before 3.14 it finds no \\B in the empty text.
            if r"\B" in part.text and not plain:
                continue
            # Python folds ASCII alone when words are ASCII.
            if "(?i" in part.text and not (part.text + plain).isascii():
                continue
            result = "∅" if part.ambiguous else replaced(pattern, plain).replace("\n", "⏎")
            columns += [text, "1" if pattern.fullmatch(plain) else "0", result]
            rows += 1
        if len(columns) > 1:
            lines.append("\t".join(columns))
    return lines


if __name__ == "__main__":
    print("// Made by make_rows.py with the `re` module of Python 3.11: do not edit.")
    print()
    print("/// A pattern a line, then for each text (⏎ is a line feed): the text, whether the pattern matches all of it, and the")
    print("/// text with matches replaced (∅: not compared).")
    print('let pythonRows = #"""')
    print("\n".join("    " + line for line in lines(800)))
    print('    """#')
