"""What a file of vectors consists of: keys by name, and groups of rows."""

import json

from making.arithmetic import b64u, unb64u

PAYLOAD = '{"sub":"someone","n":1}'


def payload(n):
    """The payload of a token that has to differ from others."""
    return '{"sub":"someone","n":%d}' % n


def signing_input(alg, text=PAYLOAD):
    header = '{"alg":"%s","kid":"k"}' % alg
    return (b64u(header.encode()) + "." + b64u(text.encode())).encode()


class Vectors:
    """One file."""

    def __init__(self):
        self.keys = {}
        self.groups = []

    def key(self, name, jwk):
        jwk = {"kid": "k", **jwk}
        assert self.keys.get(name, jwk) == jwk, name
        self.keys[name] = jwk
        return name

    def group(self, about):
        group = Group(about)
        self.groups.append(group)
        return group

    def rows(self):
        return [row for group in self.groups for row in group.rows]

    def write(self, path):
        """One row a line, so that a change of one is a change of one line."""
        keys = ",\n".join(f"    {json.dumps(name)}: {json.dumps(jwk)}" for name, jwk in self.keys.items())
        groups = ",\n".join(group.text() for group in self.groups)
        path.write_text('{\n  "keys": {\n%s\n  },\n  "groups": [\n%s\n  ]\n}\n' % (keys, groups))


class Group:
    """Rows about one thing: what is refused or skipped stands beside what is accepted."""

    def __init__(self, about):
        self.about = about
        self.rows = []

    def accept(self, name, key, alg, signature, text=PAYLOAD):
        self.add("accept", name, key, alg, signature, text)

    def refuse(self, name, key, alg, signature, text=PAYLOAD):
        self.add("refuse", name, key, alg, signature, text)

    def skip(self, name, key, reason, alg, signature, text=PAYLOAD):
        """A key that must not be taken, whatever was signed with it."""
        self.add("skip", name, key, alg, signature, text, reason)

    def take(self, name, key):
        """A key that must be taken, of which no signature is known."""
        self.rows.append({"verdict": "take", "name": name, "key": key})

    def add(self, verdict, name, key, alg, signature, text, reason=None):
        row = {"verdict": verdict, "name": name, "key": key, "alg": alg}
        if text != PAYLOAD:
            row["payload"] = text
        row["signature"] = b64u(signature)
        if reason:
            row["reason"] = reason
        self.rows.append(row)

    def text(self):
        rows = ",\n".join("      " + json.dumps(row) for row in self.rows)
        return '    {"about": %s, "rows": [\n%s\n    ]}' % (json.dumps(self.about), rows)


def message(row):
    return signing_input(row["alg"], row.get("payload", PAYLOAD))


def signature(row):
    return unb64u(row["signature"])
