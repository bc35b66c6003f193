"""EdDSA with Ed25519 (RFC 8037, RFC 8032)."""

import hashlib

from cryptography.hazmat.primitives.asymmetric import ed448, ed25519, x25519
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from making.arithmetic import b64u, stream
from making.edwards import IDENTITY, B, L, P, abscissa, add, challenge, encode, expand, small_points, times, verify
from making.rows import Vectors, payload, signing_input

ALG = "EdDSA"
RAW = (Encoding.Raw, PublicFormat.Raw)


def make():
    vectors = Vectors()
    owner = Owner(vectors, "owner")
    signatures(owner)
    scalars(owner)
    commitments(owner)
    mixed_order(owner)
    unfit_keys(owner)
    other_curves(owner)
    return vectors


class Owner:
    def __init__(self, vectors, name):
        self.vectors = vectors
        self.seed = stream(f"Ed25519 {name}", 32)
        self.a, self.prefix = expand(self.seed)
        self.public = encode(times(self.a, B))
        self.data = signing_input(ALG)
        self.key = self.publish(name, self.public)

    def publish(self, name, public, **more):
        return self.vectors.key(name, {"kty": "OKP", "crv": "Ed25519", "x": b64u(public), **more})

    def nonce(self, data):
        return int.from_bytes(hashlib.sha512(self.prefix + data).digest(), "little") % L

    def sign(self, data=None, domain=b"", public=None):
        """Section 5.1.6; the options are those of its relatives and of mistakes."""
        data = data or self.data
        r = int.from_bytes(hashlib.sha512(domain + self.prefix + data).digest(), "little") % L
        commitment, public = encode(times(r, B)), public or self.public
        h = int.from_bytes(hashlib.sha512(domain + commitment + public + data).digest(), "little") % L
        return commitment + scalar(r + h * self.a)


def scalar(value):
    return (value % L).to_bytes(32, "little")


def signatures(owner):
    good, key = owner.sign(), owner.key
    library = ed25519.Ed25519PrivateKey.from_private_bytes(owner.seed)
    assert library.public_key().public_bytes(*RAW) == owner.public and library.sign(owner.data) == good
    group = owner.vectors.group("a signature")
    group.accept("right", key, ALG, good)
    another = payload(2)
    group.accept("of another message", key, ALG, owner.sign(signing_input(ALG, another)), another)
    group.refuse("of another message, under this one", key, ALG, owner.sign(signing_input(ALG, another)))
    flaws = {
        "no last byte": good[:-1],
        "no first byte": good[1:],
        "a zero after it": good + b"\0",
        "a zero before it": b"\0" + good,
        "R alone": good[:32],
        "S alone": good[32:],
        "nothing": b"",
        "twice": good + good,
        "S before R": good[32:] + good[:32],
        "R twice": good[:32] * 2,
        "S twice": good[32:] * 2,
        "the most significant byte first": good[:32][::-1] + good[32:][::-1],
        "S with the most significant byte first": good[:32] + good[32:][::-1],
        "zeros": bytes(64),
        "ones": b"\xff" * 64,
        "one byte": b"\0",
        "R is the key": owner.public + good[32:],
        "text": good.hex().encode(),
        "114 zeros": bytes(114),
    }
    for place in (0, 15, 31, 32, 47, 63):
        for bit in (0, 7):
            flaws[f"bit {bit} of byte {place} changed"] = flipped(good, place, bit)
    for flaw, raw in flaws.items():
        group.refuse(flaw, key, ALG, raw)
    negated = encode((P - times(owner.a, B)[0], times(owner.a, B)[1]))
    group.refuse("under the key's negative", owner.publish("negative", negated), ALG, good)
    other = Owner(owner.vectors, "another")
    group.accept("of another key", other.key, ALG, other.sign())
    group.refuse("under another key", other.key, ALG, good)
    group.refuse("hashed with another key", key, ALG, owner.sign(public=other.public))
    domain = b"SigEd25519 no Ed25519 collisions"
    group.refuse("Ed25519ctx", key, ALG, owner.sign(domain=domain + b"\0\1x"))
    group.refuse("Ed25519ctx without a context", key, ALG, owner.sign(domain=domain + b"\0\0"))
    group.refuse("Ed25519ph", key, ALG, owner.sign(hashlib.sha512(owner.data).digest(), domain + b"\1\0"))
    group.refuse("of the hash", key, ALG, owner.sign(hashlib.sha512(owner.data).digest()))
    group.refuse("of the SHA-256", key, ALG, owner.sign(hashlib.sha256(owner.data).digest()))


def flipped(raw, place, bit):
    raw = bytearray(raw)
    raw[place] ^= 1 << bit
    return bytes(raw)


def scalars(owner):
    """S has one spelling; another would make a second token of one."""
    good, key = owner.sign(), owner.key
    s = int.from_bytes(good[32:], "little")
    group = owner.vectors.group("S")
    group.accept("below the order", key, ALG, good)
    for times_ in (1, 2, 4, 8, 15):
        group.refuse(f"S + {times_} L", key, ALG, good[:32] + (s + times_ * L).to_bytes(32, "little"))
    values = {
        "0": 0,
        "1": 1,
        "L - S": L - s,
        "L - 1": L - 1,
        "L": L,
        "L + 1": L + 1,
        "2^252": 2**252,
        "2^253": 2**253,
        "P": P,
        "2^256 - 1": 2**256 - 1,
        "S with bit 253 set": s | 1 << 253,
        "S with bit 255 set": s | 1 << 255,
    }
    for flaw, value in values.items():
        group.refuse(flaw, key, ALG, good[:32] + value.to_bytes(32, "little"))


def commitments(owner):
    """R of the owner's choice. Small orders prove nothing against him: only he can make S fit."""
    key, a = owner.key, owner.a
    group = owner.vectors.group("R")
    group.accept("as usual", key, ALG, owner.sign())
    fitting = lambda r: r + scalar(challenge(r, owner.public, owner.data) * a)  # noqa: E731
    group.accept("the neutral point", key, ALG, fitting(encode(IDENTITY)))
    for flaw, y, sign in (("y + p", P + 1, 0), ("y + p and a sign", P + 1, 1), ("a sign", 1, 1)):
        group.refuse(f"the neutral point, spelled with {flaw}", key, ALG, fitting(spell(y, sign)))
    for index, point in enumerate(small_points()):
        if point != IDENTITY:
            # The equation holds only when both sides are multiplied by the cofactor.
            group.refuse(f"{index} times a point of order 8", key, ALG, fitting(encode(point)))
    for y in range(19):
        if P + y < 1 << 255 and abscissa(y) is not None:
            group.refuse(f"y = p + {y}", key, ALG, fitting(spell(P + y, 0)))
    y = next(y for y in range(2, 99) if abscissa(y) is None)
    group.refuse("no point", key, ALG, fitting(spell(y, 0)))
    torsion = small_points()[1]
    r = owner.nonce(owner.data)
    mixed = encode(add(times(r, B), torsion))
    raw = mixed + scalar(r + challenge(mixed, owner.public, owner.data) * a)
    group.refuse("as usual and a point of order 8", key, ALG, raw)


def spell(y, sign):
    return (y | sign << 255).to_bytes(32, "little")


def mixed_order(owner):
    """A key with a point of small order added, as its owner may do: RFC 8032 lets a verifier choose."""
    public = encode(add(times(owner.a, B), small_points()[1]))
    key = owner.publish("mixed order", public)
    group = owner.vectors.group("a key of mixed order")
    found = {}
    for n in range(1, 99):
        data = signing_input(ALG, payload(n))
        r = owner.nonce(data)
        commitment = encode(times(r, B))
        h = challenge(commitment, public, data)
        raw = commitment + scalar(r + h * owner.a)
        found.setdefault(verify(public, data, raw), (raw, payload(n)))
    group.accept("the equation holds", key, ALG, *found[True])
    group.refuse("the equation holds only with the cofactor", key, ALG, *found[False])


def unfit_keys(owner):
    group = owner.vectors.group("keys that are left out")
    group.accept("none of this", owner.key, ALG, owner.sign())
    # R = B and S = 1 are a signature of every message by the neutral point, and of many by the others.
    forged = encode(B) + scalar(1)
    small = "Ed25519 key has small order"
    for index, point in enumerate(small_points()):
        key = owner.publish(f"small order {index}", encode(point))
        group.skip(f"{index} times a point of order 8", key, small, ALG, *forgery(encode(point), forged))
    for name, y, sign in (
        ("0, signed", 0, 1),
        ("p", P, 0),
        ("p, signed", P, 1),
        ("1, signed", 1, 1),
        ("p + 1", P + 1, 0),
        ("p + 1, signed", P + 1, 1),
        ("p - 1, signed", P - 1, 1),
    ):
        key = owner.publish(f"y = {name}", spell(y, sign))
        group.skip(f"y = {name}", key, small, ALG, forged)
    for y in range(2, 19):
        for sign in (0, 1):
            name = f"y = p + {y}" + (", signed" if sign else "")
            group.skip(name, owner.publish(name, spell(P + y, sign)), "Ed25519 key is not canonical", ALG, forged)
    off = "Ed25519 key is not a point"
    for y in [y for y in range(2, 99) if abscissa(y) is None][:4]:
        for sign in (0, 1):
            name = f"y = {y}, no point" + (", signed" if sign else "")
            group.skip(name, owner.publish(name, spell(y, sign)), off, ALG, forged)
    noise = next(
        x for i in range(99) if abscissa(int.from_bytes(x := stream(f"noise {i}", 31) + b"\0", "little")) is None
    )
    group.skip("noise", owner.publish("noise", noise), off, ALG, forged)
    length = "Ed25519 key is not 32 bytes long"
    for name, x in {
        "no last byte": owner.public[:-1],
        "a zero after it": owner.public + b"\0",
        "a zero before it": b"\0" + owner.public,
        "one byte": b"\1",
        "uncompressed": owner.public * 2,
    }.items():
        group.skip(name, owner.publish(name, x), length, ALG, owner.sign())
    for alg in ("RS256", "ES256", "PS512"):
        key = owner.publish(f"for {alg}", owner.public, alg=alg)
        group.skip(f"for {alg}", key, f'"alg" {alg} does not suit the key', ALG, owner.sign())
    group = owner.vectors.group("points of which nobody knows the private key")
    group.take("the first point of full order", owner.publish("y = 3", first_point()))
    group.accept("for EdDSA", owner.publish("for EdDSA", owner.public, alg=ALG), ALG, owner.sign())


def forgery(public, otherwise):
    """A message for which R = B and S = 1 hold under a key of small order: one whose challenge is a multiple of 8."""
    for n in range(1, 99):
        if verify(public, signing_input(ALG, payload(n)), otherwise):
            return otherwise, payload(n)
    raise AssertionError


def first_point():
    return next(spell(y, 0) for y in range(2, 99) if abscissa(y) is not None)


def other_curves(owner):
    vectors = owner.vectors
    group = vectors.group("keys of other curves")
    group.accept("Ed25519", owner.key, ALG, owner.sign())
    reason = '"crv" is not Ed25519'
    private = ed448.Ed448PrivateKey.from_private_bytes(stream("Ed448", 57))
    x = b64u(private.public_key().public_bytes(*RAW))
    raw = private.sign(owner.data)
    group.skip("Ed448", vectors.key("Ed448", {"kty": "OKP", "crv": "Ed448", "x": x}), reason, ALG, raw)
    renamed = vectors.key("Ed448 as Ed25519", {"kty": "OKP", "crv": "Ed25519", "x": x})
    group.skip("Ed448 by the name of Ed25519", renamed, "Ed25519 key is not 32 bytes long", ALG, raw)
    group.refuse("an Ed448 signature under the Ed25519 key", owner.key, ALG, raw)
    exchange = x25519.X25519PrivateKey.from_private_bytes(owner.seed).public_key().public_bytes(*RAW)
    for name, crv, x in (
        ("X25519", "X25519", exchange),
        ("X448", "X448", bytes(56)),
        ("none", "", owner.public),
        ("ed25519", "ed25519", owner.public),
    ):
        key = vectors.key(f"crv {name}", {"kty": "OKP", "crv": crv, "x": b64u(x)})
        group.skip(name, key, reason, ALG, owner.sign())
    as_ec = vectors.key(
        "Ed25519 as EC", {"kty": "EC", "crv": "Ed25519", "x": b64u(owner.public), "y": b64u(owner.public)}
    )
    group.skip("Ed25519 as an EC key", as_ec, '"crv" is none of P-256, P-384, P-521', ALG, owner.sign())
