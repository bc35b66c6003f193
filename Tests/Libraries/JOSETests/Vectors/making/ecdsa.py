"""ECDSA: ES256, ES384, ES512."""

import hashlib
import itertools

from making import ec
from making.arithmetic import b64u, number, unb64u
from making.rows import PAYLOAD, Vectors, payload, signing_input


def make():
    vectors = Vectors()
    for curve in (ec.P256, ec.P384, ec.P521):
        owner = Owner(vectors, curve)
        signatures(owner)
        lengths(owner)
        short_numbers(owner)
        hashes(owner)
        chosen_numbers(owner)
        chosen_keys(owner)
        unfit_keys(owner)
    other_curves(vectors)
    return vectors


class Owner:
    """A key on a curve and what it signs."""

    def __init__(self, vectors, curve):
        self.vectors, self.curve, self.alg = vectors, curve, curve.alg
        self.d = number(f"{curve.name} key", curve.n)
        self.key = self.publish("key", curve.times(self.d))
        self.data = signing_input(curve.alg)

    def publish(self, name, point, **more):
        return self.vectors.key(f"{self.curve.name} {name}", self.curve.jwk(point, **more))

    def group(self, about):
        return self.vectors.group(f"{self.alg}: {about}")

    def sign(self, data=None, **options):
        return self.curve.sign(self.d, data or self.data, **options)


def signatures(owner):
    curve, alg, key = owner.curve, owner.alg, owner.key
    r, s = owner.sign()
    low, high = min(s, curve.n - s), max(s, curve.n - s)
    top = (1 << 8 * curve.width) - 1
    group = owner.group("r and s")
    group.accept("the low s", key, alg, curve.raw(r, low))
    # RFC 7518 does not forbid it: a signature has a twin that anyone can make.
    group.accept("the high s, n - s", key, alg, curve.raw(r, high))
    flaws = {
        "n - r": (curve.n - r, s),
        "r and s exchanged": (s, r),
        "r twice": (r, r),
        "s twice": (s, s),
        "r + 1": (r + 1, s),
        "s + 1": (r, s + 1),
        "p - r": (curve.p - r, s),
    }
    for times in range(1, 1 + (top - max(r, s)) // curve.n):
        flaws[f"r + {times} n"] = (r + times * curve.n, s)
        flaws[f"s + {times} n"] = (r, s + times * curve.n)
    for flaw, (r_, s_) in flaws.items():
        group.refuse(flaw, key, alg, curve.raw(r_, s_))
    edges = {
        "0": 0,
        "1": 1,
        "n - 1": curve.n - 1,
        "n": curve.n,
        "n + 1": curve.n + 1,
        "p": curve.p,
        "p + 1": curve.p + 1,
        "all ones": top,
    }
    for (name, value), (name_, value_) in itertools.product(edges.items(), edges.items()):
        group.refuse(f"r is {name}, s is {name_}", key, alg, curve.raw(value, value_))
    for name, value in edges.items():
        group.refuse(f"only r is {name}", key, alg, curve.raw(value, s))
        group.refuse(f"only s is {name}", key, alg, curve.raw(r, value))


def lengths(owner):
    curve, alg, key = owner.curve, owner.alg, owner.key
    r, s = owner.sign()
    good, width = curve.raw(r, s), curve.width
    group = owner.group("spelling")
    group.accept("right", key, alg, good)
    flaws = {
        "no last byte": good[:-1],
        "no first byte": good[1:],
        "a zero after it": good + b"\x00",
        "a zero before it": b"\x00" + good,
        "r alone": good[:width],
        "twice": good + good,
        "nothing": b"",
        "halves a byte wider": curve.raw(r, s, width + 1),
        "halves two bytes wider": curve.raw(r, s, width + 2),
        "halves twice as wide": curve.raw(r, s, 2 * width),
        "least byte first": good[::-1],
        "halves with the least byte first": good[:width][::-1] + good[width:][::-1],
        "DER": der(r, s),
        "DER, long lengths": der(r, s, long=True),
        "DER, cut to the right length": der(r, s)[: 2 * width],
        "DER, filled to the right length or past it": der(r, s).ljust(2 * width, b"\x00"),
        "one zero byte": b"\x00",
        "text": good.hex().encode(),
    }
    for count in (63, 64, 65, 95, 96, 97, 128, 130, 131, 132, 133, 2 * width - 1, 2 * width, 2 * width + 1, 4 * width):
        flaws[f"{count} zeros"] = bytes(count)
    for count in (64, 96, 128, 132):
        if count != 2 * width:
            flaws[f"cut or filled to {count} bytes"] = good[:count].ljust(count, b"\x00")
    for flaw, raw in flaws.items():
        group.refuse(flaw, key, alg, raw)


def der(r, s, long=False):
    def tlv(tag, content):
        length = bytes([len(content)]) if len(content) < 0x80 and not long else bytes([0x81, len(content)])
        return bytes([tag]) + length + content

    return tlv(0x30, b"".join(tlv(2, v.to_bytes(v.bit_length() // 8 + 1, "big")) for v in (r, s)))


def short_numbers(owner):
    """r or s that begins with a zero byte, which belongs to the signature."""
    curve, width = owner.curve, owner.curve.width
    for half, name in ((0, "r"), (1, "s")):
        limit = 1 << (curve.n.bit_length() - 8) // 8 * 8
        pair = next(p for i in range(9999) if (p := owner.sign(label=f"short {name} {i}"))[half] < limit)
        good = curve.raw(*pair)
        place = half * width
        group = owner.group(f"{name} begins with a zero byte")
        group.accept("right", owner.key, owner.alg, good)
        group.refuse("without it", owner.key, owner.alg, good[:place] + good[place + 1 :])
        group.refuse("moved to the end", owner.key, owner.alg, good[:place] + good[place + 1 :] + b"\x00")
        if half:
            group.refuse("moved to the front", owner.key, owner.alg, b"\x00" + good[:place] + good[place + 1 :])
        group.refuse("one more", owner.key, owner.alg, good[:place] + b"\x00" + good[place:])


def hashes(owner):
    curve, alg, key = owner.curve, owner.alg, owner.key
    group = owner.group("hash")
    group.accept("right", key, alg, curve.raw(*owner.sign()))
    for other in ("sha1", "sha224", "sha256", "sha384", "sha512", "sha3_256", "sha3_384", "sha3_512"):
        if other != curve.hash:
            group.refuse(other, key, alg, curve.raw(*owner.sign(hash=other)))
    group.refuse("of another message", key, alg, curve.raw(*owner.sign(signing_input(alg, payload(2)))))
    group.refuse("of the payload alone", key, alg, curve.raw(*owner.sign(owner.data.split(b".")[1])))
    group.refuse("of the hash", key, alg, curve.raw(*owner.sign(hashlib.new(curve.hash, owner.data).digest())))
    edges = {
        "begins with two zero bytes": lambda h: h[:2] == b"\0\0",
        "begins with FFFF": lambda h: h[:2] == b"\xff\xff",
        "ends with two zero bytes": lambda h: h[-2:] == b"\0\0",
        "ends with FFFF": lambda h: h[-2:] == b"\xff\xff",
    }
    for name, suits in edges.items():
        texts = map(payload, range(1, 2_000_000))
        text = next(t for t in texts if suits(hashlib.new(curve.hash, signing_input(alg, t)).digest()))
        data = signing_input(alg, text)
        group = owner.group(f"a hash that {name}")
        group.accept("right", key, alg, curve.raw(*owner.sign(data)), text)
        group.refuse("by another hash", key, alg, curve.raw(*owner.sign(data, hash="sha224")), text)


def chosen_numbers(owner):
    """Signatures with numbers of our choice: the public key is computed from them, the private key is unknown."""
    curve, n = owner.curve, owner.curve.n
    point = curve.times(number(f"{curve.name} chosen", n))
    e = curve.e(owner.data)
    cases = {
        "s = 1": (point, 1),
        "s = 2": (point, 2),
        "s = n - 1": (point, n - 1),
        "s = (n - 1) / 2": (point, n // 2),
        "s = (n + 1) / 2": (point, n // 2 + 1),
        "s = e, so u1 = 1": (point, e % n),
        "s = -e, so u1 = n - 1": (point, -e % n),
        "s = r, so u2 = 1": (point, point[0] % n),
        "s = -r, so u2 = n - 1": (point, -point[0] % n),
        "the smallest r": (curve.first_point(1), 7),
        "the smallest r, s = 1": (curve.first_point(1), 1),
        "the smallest r, s = n - 1": (curve.first_point(1), n - 1),
        "r at n / 2": (curve.first_point(n // 2), 7),
        "r just below n": (below(curve, n - 1), 7),
        "r is that of the generator": (curve.g, 7),
        "s a power of two": (point, 1 << 128),
        "s with zeros in the middle": (point, (1 << n.bit_length() - 2) + 1),
    }
    for name, (r_point, s) in cases.items():
        numbers(owner, name, r_point, s)
    # The abscissa of R is above n, so r is what is left of it; to spell it unreduced is no signature.
    wrapped = curve.first_point(n + 1)
    key = numbers(owner, "R's abscissa is above n", wrapped, 7)
    group = owner.vectors.groups[-1]
    group.refuse("r as the abscissa itself", key, owner.alg, curve.raw(wrapped[0], 7))


def below(curve, x):
    while curve.at(x) is None:
        x -= 1
    return curve.at(x)


def numbers(owner, name, point, s):
    curve, n = owner.curve, owner.curve.n
    r = point[0] % n
    key = owner.publish(f"key for {name}", curve.key_for(owner.data, point, s))
    group = owner.group(name)
    group.accept("right", key, owner.alg, curve.raw(r, s))
    group.accept("its twin, n - s", key, owner.alg, curve.raw(r, n - s))
    group.refuse("s + 3", key, owner.alg, curve.raw(r, s + 3))
    group.refuse("under another key", owner.key, owner.alg, curve.raw(r, s))
    for flaw, pair in {"r + n": (r + n, s), "s + n": (r, s + n)}.items():
        if max(pair) < 1 << 8 * curve.width:
            group.refuse(flaw, key, owner.alg, curve.raw(*pair))
    return key


def chosen_keys(owner):
    """Keys that lead an implementation into a corner."""
    curve, n, alg = owner.curve, owner.curve.n, owner.alg
    e, k = curve.e(owner.data), number(f"{curve.name} corner", n)
    r = curve.times(k)[0] % n
    corners = {
        "the generator": 1,
        "the generator's negative": n - 1,
        "twice the generator": 2,
        "half the generator": n // 2 + 1,
        "u1 G equals u2 Q": e * pow(r, -1, n) % n,
    }
    for name, d in corners.items():
        key = owner.publish(f"key: {name}", curve.times(d))
        s = pow(k, -1, n) * (e + r * d) % n
        group = owner.group(f"the key is such that: {name}")
        group.accept("right", key, alg, curve.raw(r, s))
        group.refuse("n - r", key, alg, curve.raw(n - r, s))
        group.refuse("e and r for r and s", key, alg, curve.raw(e % n or 1, r))
    infinity(owner, r)
    for place, name in ((0, "x"), (1, "y")):
        limit = 1 << 8 * (curve.width - 1 - (curve.p.bit_length() % 8 == 1))
        d = next(d for d in range(2, 9999) if curve.times(d)[place] < limit)
        key = owner.publish(f"key with a short {name}", curve.times(d))
        good = curve.raw(*curve.sign(d, owner.data))
        group = owner.group(f"{name} of the key begins with a zero byte")
        group.accept("right", key, alg, good)
        jwk = curve.jwk(curve.times(d))
        for flaw, spelled in {
            "without it": unb64u(jwk[name])[1:],
            "with one more": b"\0" + unb64u(jwk[name]),
            "moved to the end": unb64u(jwk[name])[1:] + b"\0",
        }.items():
            bad = owner.vectors.key(f"{curve.name} short {name} {flaw}", {**jwk, name: b64u(spelled)})
            reason = off(curve) if len(spelled) == curve.width else width(curve)
            group.skip(flaw, bad, reason, alg, good)


def infinity(owner, r):
    """For this key and this r the sum is the point at infinity whatever s is, so it has no abscissa to compare."""
    curve, n = owner.curve, owner.curve.n
    d = -curve.e(owner.data) * pow(r, -1, n) % n
    key = owner.publish("key: infinity", curve.times(d))
    group = owner.group("u1 G + u2 Q is the point at infinity")
    group.accept("another r", key, owner.alg, curve.raw(*curve.sign(d, owner.data)))
    for s in (1, 2, r, n - 1):
        group.refuse(f"this r, s = {'r' if s == r else 'n - 1' if s == n - 1 else s}", key, owner.alg, curve.raw(r, s))


def off(curve):
    return f"point is not on {curve.name}"


def width(curve):
    return f"coordinates are not {curve.width} bytes long"


def unfit_keys(owner):
    curve, p, alg = owner.curve, owner.curve.p, owner.alg
    x, y = curve.times(owner.d)
    good = curve.raw(*owner.sign())
    spell = lambda value, size=None: b64u(value.to_bytes(size or curve.width, "big"))  # noqa: E731
    group = owner.group("keys that are left out")
    group.accept("none of this", owner.key, alg, good)
    top = (1 << 8 * curve.width) - 1
    points = {
        "zeros, for the point at infinity": (0, 0),
        "x = 0, y = 1": (0, 1),
        "y + 1": (x, y + 1),
        "x + 1": (x + 1, y),
        "x and y exchanged": (y, x),
        "x = y": (x, x),
        "y = 0": (x, 0),
        "x = p": (p, y),
        "y = p": (x, p),
        "all ones": (top, top),
        "y without its square root": (no_point(curve), 2),
        "y negated without the prime": (x, (1 << curve.width * 8) - y),
    }
    for flaw, (x_, y_) in points.items():
        jwk = {**curve.jwk((x, y)), "x": spell(x_), "y": spell(y_)}
        group.skip(flaw, owner.vectors.key(f"{curve.name} {flaw}", jwk), off(curve), alg, good)
    if x + p <= top:
        for flaw, (x_, y_) in {"x + p": (x + p, y), "y + p": (x, y + p), "x + p, y + p": (x + p, y + p)}.items():
            jwk = {**curve.jwk((x, y)), "x": spell(x_), "y": spell(y_)}
            group.skip(flaw, owner.vectors.key(f"{curve.name} {flaw}", jwk), off(curve), alg, good)
    shapes = {
        "x without its last byte": {"x": b64u(unb64u(spell(x))[:-1])},
        "x with a zero before it": {"x": spell(x, curve.width + 1)},
        "y with a zero before it": {"y": spell(y, curve.width + 1)},
        "both with a zero before them": {"x": spell(x, curve.width + 1), "y": spell(y, curve.width + 1)},
        "x compressed": {"x": b64u(b"\2" + unb64u(spell(x)))},
        "the uncompressed point for x": {"x": b64u(b"\4" + unb64u(spell(x)) + unb64u(spell(y)))},
        "y of one zero byte": {"y": "AA"},
        "x of one zero byte": {"x": "AA"},
    }
    for flaw, members in shapes.items():
        key = owner.vectors.key(f"{curve.name} {flaw}", {**curve.jwk((x, y)), **members})
        group.skip(flaw, key, width(curve), alg, good)
    group = owner.group("a point is spelled with numbers below the prime")
    small = curve.first_point(0)
    group.take("the point with the smallest x", owner.publish("smallest x", small))
    jwk = {**curve.jwk(small), "x": spell(small[0] + p)}
    group.skip("x + p", owner.vectors.key(f"{curve.name} smallest x, + p", jwk), off(curve), alg, good)
    group = owner.group("the point on the other side")
    group.accept("the key itself", owner.key, alg, good)
    group.refuse("y negated", owner.publish("negated", (x, p - y)), alg, good)


def no_point(curve):
    return next(x for x in range(1, 99) if curve.at(x) is None)


def other_curves(vectors):
    """A key, a header and a signature that do not belong together."""
    curves = (ec.P256, ec.P384, ec.P521)
    owners = {curve.name: Owner(vectors, curve) for curve in curves}
    for mine, other in itertools.permutations(owners.values(), 2):
        group = vectors.group(f"{mine.alg} where {other.alg} belongs")
        group.accept("what belongs together", other.key, other.alg, other.curve.raw(*other.sign()))
        group.accept("what belongs together on the other side", mine.key, mine.alg, mine.curve.raw(*mine.sign()))
        r, s = mine.sign(other.data)
        group.refuse("the signature", other.key, other.alg, mine.curve.raw(r, s))
        if mine.curve.width < other.curve.width:
            group.refuse("the signature, widened", other.key, other.alg, mine.curve.raw(r, s, other.curve.width))
        group.refuse("the key", mine.key, other.alg, other.curve.raw(*other.sign()))
        group.refuse("key and signature", mine.key, other.alg, mine.curve.raw(r, s))
        hashed = mine.sign(other.data, hash=other.curve.hash)
        group.refuse("key and signature, by this hash", mine.key, other.alg, mine.curve.raw(*hashed))
        group.refuse("the header", other.key, mine.alg, other.curve.raw(*other.sign(mine.data)))
        jwk = {**other.curve.jwk(other.curve.times(other.d)), "alg": mine.alg}
        key = vectors.key(f"{other.curve.name} for {mine.alg}", jwk)
        group.skip(
            "the key's alg", key, f'"alg" {mine.alg} does not suit the key', other.alg, other.curve.raw(*other.sign())
        )
        renamed = {**other.curve.jwk(other.curve.times(other.d)), "crv": mine.curve.name}
        key = vectors.key(f"{other.curve.name} as {mine.curve.name}", renamed)
        group.skip("the key's curve", key, width(mine.curve), other.alg, other.curve.raw(*other.sign()))
    owner = owners["P-256"]
    group = vectors.group("curves that have another name or none")
    group.accept("P-256", owner.key, "ES256", owner.curve.raw(*owner.sign()), PAYLOAD)
    reason = '"crv" is none of P-256, P-384, P-521'
    for name in ("p-256", "P256", "secp256r1", "prime256v1", "secp256k1", "P-256 ", "", "Ed25519"):
        jwk = {**owner.curve.jwk(owner.curve.times(owner.d)), "crv": name}
        key = vectors.key(f"P-256 as “{name}”", jwk)
        group.skip(f"“{name}”", key, reason, "ES256", owner.curve.raw(*owner.sign()))
