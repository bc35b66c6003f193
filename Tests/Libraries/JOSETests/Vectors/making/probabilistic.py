"""RSASSA-PSS: PS256, PS384, PS512, with a salt as long as the hash, which makes the mask too (RFC 7518 section 3.5)."""

from making import pkcs1, rsa
from making.arithmetic import stream
from making.rows import PAYLOAD, Vectors, payload, signing_input
from making.rsa import HASHES, digest, digest_info, mgf1, pss, salt


def make():
    vectors = Vectors()
    for size, name in HASHES.items():
        alg = f"PS{size}"
        salts(vectors, alg, name)
        encodings(vectors, alg, name)
        numbers(vectors, alg, name)
        purposes(vectors, alg, name)
    sizes(vectors)
    return vectors


def good(key, alg, name, text=PAYLOAD):
    return key.sign_bytes(pss(name, signing_input(alg, text), key.n.bit_length(), salt(name)))


def salts(vectors, alg, name):
    key, data = rsa.key(2048), signing_input(alg)
    used = vectors.key("rsa2048", key.jwk())
    length = len(digest(name, b""))
    group = vectors.group(f"{alg}: salt")
    sign = lambda salt: key.sign_bytes(pss(name, data, 2048, salt))  # noqa: E731
    group.accept("as long as the hash", used, alg, sign(salt(name)))
    group.accept("another of that length", used, alg, sign(salt(name, "another")))
    group.accept("zeros", used, alg, sign(bytes(length)))
    group.accept("ones", used, alg, sign(b"\xff" * length))
    longest = 256 - length - 2
    for count in sorted({0, 1, 8, 16, 20, 28, 32, 48, 64, length - 1, length + 1, longest - 1, longest} - {length}):
        group.refuse(f"of {count} bytes", used, alg, sign(stream("salt", count)))


def encodings(vectors, alg, name):
    key, data = rsa.key(2048), signing_input(alg)
    used = vectors.key("rsa2048", key.jwk())
    group = vectors.group(f"{alg}: encoding")
    group.accept("right", used, alg, good(key, alg, name))
    make = lambda hash=name, **flaw: key.sign_bytes(pss(hash, data, 2048, salt(name), **flaw))  # noqa: E731
    others = [other for other in ("sha1", "sha224", "sha256", "sha384", "sha512") if other != name]
    for other in others:
        group.refuse(f"the mask of {other}", used, alg, make(mask=other))
        group.refuse(f"the hash of {other} in the mask of {name}", used, alg, make(other, mask=name))
        group.refuse(f"{other} for both, the salt as before", used, alg, make(other))
        own = key.sign_bytes(pss(other, data, 2048, salt(other)))
        group.refuse(f"{other} for both, with its own salt", used, alg, own)
    for trailer in (0x00, 0xBB, 0xBD, 0xCC, 0xFF):
        group.refuse(f"a trailer of {trailer:02X}", used, alg, make(trailer=trailer))
    for separator in (0, 2, 0x81, 0xFF):
        group.refuse(f"{separator:02X} before the salt", used, alg, make(separator=separator))
    for padding in (1, 0x80, 0xFF):
        group.refuse(f"{padding:02X} at the end of the zeros", used, alg, make(padding=padding))
    # A block whose first bit is set is still below the modulus when the mask is small enough.
    group.refuse("the first bit set", used, alg, key.sign_bytes(topmost(key, name, data)))
    group.refuse("a hash of zeros", used, alg, make(h=bytes(len(digest(name, b"")))))
    group.refuse("the message's own hash", used, alg, make(h=digest(name, data)))
    group.refuse("the hash without the eight zeros", used, alg, make(h=digest(name, digest(name, data) + salt(name))))
    group.refuse(
        "the hash of the salt before the message",
        used,
        alg,
        make(h=digest(name, bytes(8) + salt(name) + digest(name, data))),
    )
    group.refuse("the message not hashed", used, alg, make(h=digest(name, bytes(8) + data + salt(name))))
    group.refuse("no mask", used, alg, key.sign_bytes(unmasked(name, data)))
    group.refuse(
        "one bit of the hash changed", used, alg, key.sign_bytes(changed(pss(name, data, 2048, salt(name)), -2))
    )
    group.refuse(
        "one bit of the mask changed", used, alg, key.sign_bytes(changed(pss(name, data, 2048, salt(name)), 9))
    )
    group.refuse(
        "PKCS #1 v1.5 of the same hash", used, alg, key.sign_bytes(rsa.pkcs1(digest_info(name, data), key.size))
    )


def topmost(key, name, data):
    for n in range(99):
        block = pss(name, data, 2048, salt(name, f"top {n}"), top=0x80)
        if int.from_bytes(block, "big") < key.n:
            return block


def unmasked(name, data):
    block = pss(name, data, 2048, salt(name))
    length = len(digest(name, b""))
    db, h = block[: -length - 1], block[-length - 1 : -1]
    plain = bytearray(rsa.xor(db, mgf1(name, h, len(db))))
    plain[0] &= 0x7F
    return bytes(plain) + h + b"\xbc"


def changed(block, place):
    block = bytearray(block)
    block[place] ^= 1
    return bytes(block)


def numbers(vectors, alg, name):
    key = rsa.key(2048)
    used = vectors.key("rsa2048", key.jwk())
    text = next(t for t in map(payload, range(1, 999)) if number(key, alg, name, t) + key.n < 1 << 2048)
    s = number(key, alg, name, text)
    raw = key.bytes(s)
    group = vectors.group(f"{alg}: numbers")
    group.accept("right", used, alg, raw, text)
    values = {
        "0": 0,
        "1": 1,
        "n - 1": key.n - 1,
        "n": key.n,
        "n + 1": key.n + 1,
        "s + n": s + key.n,
        "n - s": key.n - s,
        "all ones": (1 << 2048) - 1,
    }
    for flaw, value in values.items():
        group.refuse(flaw, used, alg, key.bytes(value), text)
    shapes = {
        "a zero before it": b"\x00" + raw,
        "a zero after it": raw + b"\x00",
        "no last byte": raw[:-1],
        "no first byte": raw[1:],
        "least byte first": raw[::-1],
        "nothing": b"",
    }
    for flaw, value in shapes.items():
        group.refuse(flaw, used, alg, value, text)
    text = next(t for t in map(payload, range(1, 9999)) if number(key, alg, name, t) < 1 << 2040)
    raw = key.bytes(number(key, alg, name, text))
    group = vectors.group(f"{alg}: a signature that begins with a zero byte")
    group.accept("right", used, alg, raw, text)
    group.refuse("without the zero", used, alg, raw[1:], text)
    group.refuse("with two", used, alg, b"\x00" + raw, text)


def number(key, alg, name, text):
    return int.from_bytes(good(key, alg, name, text), "big")


def purposes(vectors, alg, name):
    key = rsa.key(2048)
    group = vectors.group(f"{alg} and what the key is for")
    group.accept("any algorithm", vectors.key("rsa2048", key.jwk()), alg, good(key, alg, name))
    for declared in ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"):
        used = vectors.key(f"rsa2048 for {declared}", key.jwk(alg=declared))
        group.add("accept" if declared == alg else "refuse", declared, used, alg, good(key, alg, name), PAYLOAD)


def sizes(vectors):
    for bits in (2048, 2049, 3072, 4096, 8192):
        key = rsa.key(bits)
        used = vectors.key(f"rsa{bits}", key.jwk())
        group = vectors.group(f"a modulus of {bits} bits")
        for size, name in HASHES.items():
            alg = f"PS{size}"
            raw = good(key, alg, name)
            group.accept(f"{alg}, right", used, alg, raw)
            group.refuse(f"{alg}, shorter by a byte", used, alg, raw[1:])
            group.refuse(f"{alg}, longer by a byte", used, alg, b"\x00" + raw)
    key = rsa.key(2048).with_exponent(3)
    group = vectors.group("a public exponent of 3")
    group.accept("right", vectors.key("rsa2048 e=3", key.jwk()), "PS256", good(key, "PS256", "sha256"))
    group.refuse("PKCS #1 v1.5", "rsa2048 e=3", "PS256", pkcs1.honest(key, "PS256"))
    # With 2049 bits the block is a byte shorter than the number, so that byte has to be zero.
    key = rsa.key(2049)
    group = vectors.group("a modulus of 2049 bits has a byte before the block")
    group.accept("zero", "rsa2049", "PS256", good(key, "PS256", "sha256"))
    for n in range(999):
        block = b"\x01" + pss("sha256", signing_input("PS256"), 2049, salt("sha256", f"first {n}"))
        if int.from_bytes(block, "big") < key.n:
            group.refuse("one", "rsa2049", "PS256", key.sign_bytes(block))
            break
    s = int.from_bytes(good(key, "PS256", "sha256"), "big")
    for i in (1, 2, 63):
        group.refuse(f"s + {i} n", "rsa2049", "PS256", key.bytes(s + i * key.n))
