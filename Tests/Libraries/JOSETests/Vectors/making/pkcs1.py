"""RSASSA-PKCS1-v1_5: RS256, RS384, RS512."""

from making import rsa
from making.arithmetic import prime, root
from making.rows import PAYLOAD, Vectors, payload, signing_input
from making.rsa import HASHES, OIDS, digest, digest_info, pkcs1, tlv

LONG = {
    "one byte": lambda n: bytes([0x81, n]),
    "two bytes": lambda n: bytes([0x82, 0, n]),
    "four bytes": lambda n: bytes([0x84, 0, 0, 0, n]),
}


def make():
    vectors = Vectors()
    for size, name in HASHES.items():
        alg = f"RS{size}"
        encodings(vectors, alg, name)
        numbers(vectors, alg, name)
        forgeries(vectors, alg, name)
    sizes(vectors)
    exponents(vectors)
    unfit(vectors)
    purposes(vectors)
    return vectors


def infos(name, data):
    """DigestInfos that are almost right: what is wrong, and the bytes."""
    hashed, oid, null = digest(name, data), tlv(6, bytes.fromhex(OIDS[name])), b"\x05\x00"
    octets, algorithm = tlv(4, hashed), tlv(0x30, oid + null)
    sequence = lambda *parts: tlv(0x30, b"".join(parts))  # noqa: E731
    yield "no NULL", sequence(sequence(oid), octets)
    yield "two NULLs", sequence(sequence(oid, null, null), octets)
    yield "an empty OCTET STRING for the NULL", sequence(sequence(oid, b"\x04\x00"), octets)
    yield "an empty SEQUENCE for the NULL", sequence(sequence(oid, b"\x30\x00"), octets)
    yield "a BOOLEAN for the NULL", sequence(sequence(oid, b"\x01\x01\x00"), octets)
    yield "a NULL with a byte in it", sequence(sequence(oid, b"\x05\x01\x00"), octets)
    yield "a NULL before the identifier", sequence(sequence(null, oid), octets)
    for how, length in LONG.items():
        yield f"the length of the whole in {how} more", tlv(0x30, algorithm + octets, length(len(algorithm + octets)))
        yield (
            f"the length of the algorithm in {how} more",
            sequence(tlv(0x30, oid + null, length(len(oid + null))), octets),
        )
        yield (
            f"the length of the identifier in {how} more",
            sequence(sequence(tlv(6, oid[2:], length(len(oid) - 2)), null), octets),
        )
        yield f"the length of the NULL in {how} more", sequence(sequence(oid, tlv(5, b"", length(0))), octets)
        yield f"the length of the hash in {how} more", sequence(algorithm, tlv(4, hashed, length(len(hashed))))
    yield "a whole of indefinite length", tlv(0x30, algorithm + octets + b"\x00\x00", b"\x80")
    yield "an algorithm of indefinite length", sequence(tlv(0x30, oid + null + b"\x00\x00", b"\x80"), octets)
    yield "a length one too small", b"\x30" + bytes([len(algorithm + octets) - 1]) + algorithm + octets
    yield "a length one too large", b"\x30" + bytes([len(algorithm + octets) + 1]) + algorithm + octets
    yield "a SET for the SEQUENCE", tlv(0x31, algorithm + octets)
    yield "a SET for the algorithm", sequence(tlv(0x31, oid + null), octets)
    yield "a constructed OCTET STRING", sequence(algorithm, tlv(0x24, octets))
    yield "a BIT STRING for the hash", sequence(algorithm, tlv(3, b"\x00" + hashed))
    yield "bytes after the hash", sequence(algorithm, octets, b"\x04\x02\x00\x00")
    yield "bytes before the algorithm", sequence(b"\x04\x02\x00\x00", algorithm, octets)
    yield "bytes after the DigestInfo", sequence(algorithm, octets) + b"\x00\x00"
    yield "a DigestInfo in a DigestInfo", sequence(algorithm, tlv(4, sequence(algorithm, octets)))
    yield "an identifier spelled with a leading 0x80", sequence(sequence(tlv(6, b"\x80" + oid[2:]), null), octets)
    yield "an identifier cut short", sequence(sequence(tlv(6, oid[2:-1]), null), octets)
    yield "a hash cut short", sequence(algorithm, tlv(4, hashed[:-1]))
    yield "a hash with a byte more", sequence(algorithm, tlv(4, hashed + b"\x00"))
    yield "a hash with another last bit", sequence(algorithm, tlv(4, hashed[:-1] + bytes([hashed[-1] ^ 1])))
    yield "an empty hash", sequence(algorithm, b"\x04\x00")
    yield "no hash", sequence(algorithm)
    yield "the hash alone, in its OCTET STRING", octets
    yield "the bare hash", hashed
    yield "nothing", b""
    for other in OIDS:
        if other != name:
            yield f"{other} in place of {name}", digest_info(other, data)
            yield f"the identifier of {other}", sequence(sequence(tlv(6, bytes.fromhex(OIDS[other])), null), octets)
            yield f"the hash of {other}", sequence(algorithm, tlv(4, digest(other, data)))


def blocks(size, info):
    """Encoded messages whose padding is almost right."""
    good = pkcs1(info, size)
    pad = size - len(info) - 3
    yield "block type 0, of zeros", b"\x00\x00" + b"\x00" * pad + b"\x00" + info
    yield "block type 0", b"\x00\x00" + good[2:]
    yield "block type 2", b"\x00\x02" + good[2:]
    yield "block type 3", b"\x00\x03" + good[2:]
    yield "a first byte that is not zero", b"\x01" + good[1:]
    yield "a first padding byte that is not FF", good[:2] + b"\xfe" + good[3:]
    yield "a last padding byte that is not FF", good[: pad + 1] + b"\xfe" + good[pad + 2 :]
    yield "a zero within the padding", good[:20] + b"\x00" + good[21:]
    yield "padding of zeros", b"\x00\x01" + b"\x00" * pad + b"\x00" + info
    yield "no zero after the padding", good[: pad + 2] + b"\xff" + info
    yield "a one after the padding", good[: pad + 2] + b"\x01" + info
    yield "two zeros after the padding", good[: pad + 1] + b"\x00\x00" + info
    for count in (0, 1, 7, 8, 9, pad - 1):
        rest = pad - count
        yield f"{count} bytes of padding, and zeros at the end", good[: 2 + count] + b"\x00" + info + b"\x00" * rest
        yield f"{count} bytes of padding, and AA at the end", good[: 2 + count] + b"\x00" + info + b"\xaa" * rest
        yield (
            f"{count} bytes of padding, and zeros before the DigestInfo",
            (good[: 2 + count] + b"\x00" * (rest + 1) + info),
        )
    yield "a block without its first byte", good[1:] + b"\x00"
    yield "only FF", b"\x00\x01" + b"\xff" * (size - 2)
    yield "only the padding", b"\x00\x01" + b"\xff" * (size - 3) + b"\x00"


def encodings(vectors, alg, name):
    """What stands in a block that the owner signed, which nobody else can. To be strict is to compare it whole."""
    key, data = rsa.key(2048), signing_input(alg)
    used = vectors.key("rsa2048", key.jwk())
    group = vectors.group(f"{alg}: DigestInfo")
    group.accept("right", used, alg, key.sign_bytes(pkcs1(digest_info(name, data), key.size)))
    for flaw, info in infos(name, data):
        group.refuse(flaw, used, alg, key.sign_bytes(pkcs1(info, key.size)))
    group = vectors.group(f"{alg}: padding")
    group.accept("right", used, alg, key.sign_bytes(pkcs1(digest_info(name, data), key.size)))
    for flaw, block in blocks(key.size, digest_info(name, data)):
        group.refuse(flaw, used, alg, key.sign_bytes(block))


def numbers(vectors, alg, name):
    """The signature as a number, and its length."""
    key = rsa.key(2048)
    used = vectors.key("rsa2048", key.jwk())
    text, s = next(signed(key, alg, name, lambda s: s + key.n < 1 << 2048))
    good = key.bytes(s)
    group = vectors.group(f"{alg}: numbers")
    group.accept("right", used, alg, good, text)
    values = {
        "0": 0,
        "1": 1,
        "2": 2,
        "n - 1": key.n - 1,
        "n": key.n,
        "n + 1": key.n + 1,
        "s + n": s + key.n,
        "n - s": key.n - s,
        "s + 1": s + 1,
        "all ones": (1 << 2048) - 1,
    }
    for flaw, value in values.items():
        group.refuse(flaw, used, alg, key.bytes(value), text)
    shapes = {
        "a zero before it": b"\x00" + good,
        "a zero after it": good + b"\x00",
        "no last byte": good[:-1],
        "no first byte": good[1:],
        "least byte first": good[::-1],
        "twice": good + good,
        "its half": good[:128],
        "one zero byte": b"\x00",
        "nothing": b"",
        "zeros, one too many": bytes(257),
    }
    for flaw, value in shapes.items():
        group.refuse(flaw, used, alg, value, text)
    text, s = next(signed(key, alg, name, lambda s: s < 1 << 2040))
    group = vectors.group(f"{alg}: a signature that begins with a zero byte")
    group.accept("right", used, alg, key.bytes(s), text)
    group.refuse("without the zero", used, alg, key.bytes(s)[1:], text)
    group.refuse("with two", used, alg, b"\x00" + key.bytes(s), text)
    group.refuse("with the zero at the end", used, alg, key.bytes(s)[1:] + b"\x00", text)


def signed(key, alg, name, suits):
    for n in range(1, 10000):
        s = key.sign(pkcs1(digest_info(name, signing_input(alg, payload(n))), key.size))
        if suits(s):
            yield payload(n), s


def forgeries(vectors, alg, name):
    """Made without the private key: with e = 3 a cube that looks right where a lax parser looks suffices."""
    # The block has to leave two thirds of itself to chance.
    bits = 3072 if name == "sha512" else 2048
    key = rsa.key(bits).with_exponent(3)
    used = vectors.key(f"rsa{bits} e=3", key.jwk())
    text = next(t for t in map(payload, range(1, 99)) if digest(name, signing_input(alg, t))[-1] & 1)
    data = signing_input(alg, text)
    info, hashed = digest_info(name, data), digest(name, data)
    group = vectors.group(f"{alg}: forgeries under e = 3")
    group.accept("right", used, alg, key.sign_bytes(pkcs1(info, key.size)), text)
    head = b"\x00\x01" + b"\xff" * 8 + b"\x00"
    group.refuse("garbage after the DigestInfo", used, alg, key.bytes(cube(key, head + info)), text)
    group.refuse(
        "garbage after the DigestInfo, and no padding", used, alg, key.bytes(cube(key, b"\x00\x01\x00" + info)), text
    )
    group.refuse("garbage after the bare hash", used, alg, key.bytes(cube(key, head + hashed)), text)
    group.refuse("garbage in the padding", used, alg, key.bytes(cube(key, head[:-1], b"\x00" + info)), text)
    tail = tlv(4, hashed)
    long = lambda tag, count: bytes([tag, 0x82]) + count.to_bytes(2, "big")  # noqa: E731
    null = key.size - len(head) - 4 - 4 - 11 - 4 - len(tail)
    inner = tlv(6, bytes.fromhex(OIDS[name])) + long(5, null)
    outer = long(0x30, len(inner) + null)
    whole = long(0x30, len(outer) + len(inner) + null + len(tail))
    group.refuse("garbage in the NULL", used, alg, key.bytes(cube(key, head + whole + outer + inner, tail)), text)


def cube(key, head, tail=b""):
    """A number whose cube begins with `head` and, for an odd tail, ends with `tail`."""
    free = key.size - len(head)
    top = int.from_bytes(head + b"\xff" * free, "big")
    s = root(top, 3)
    if tail:
        bits = 8 * len(tail)
        low = pow(int.from_bytes(tail, "big"), pow(3, -1, 1 << (bits - 2)), 1 << bits)
        s = (s >> bits << bits) - (1 << bits) + low
    made = (s**3).to_bytes(key.size, "big")
    assert made.startswith(head) and made.endswith(tail)
    return s


def sizes(vectors):
    for bits in (2048, 2049, 3072, 4096, 8192):
        key = rsa.key(bits)
        used = vectors.key(f"rsa{bits}", key.jwk())
        group = vectors.group(f"a modulus of {bits} bits")
        for size, name in HASHES.items():
            alg = f"RS{size}"
            good = key.sign_bytes(pkcs1(digest_info(name, signing_input(alg)), key.size))
            group.accept(f"{alg}, right", used, alg, good)
            group.refuse(f"{alg}, shorter by a byte", used, alg, good[1:])
            group.refuse(f"{alg}, longer by a byte", used, alg, b"\x00" + good)
            group.refuse(f"{alg}, the last bit changed", used, alg, good[:-1] + bytes([good[-1] ^ 1]))
    # A number above n that still has as many bytes, also several times.
    key = rsa.key(2049)
    s = int.from_bytes(key.sign_bytes(pkcs1(digest_info("sha256", signing_input("RS256")), key.size)), "big")
    group = vectors.group("a modulus of 2049 bits leaves room above it")
    group.accept("right", "rsa2049", "RS256", key.bytes(s))
    for i in (1, 2, 63):
        group.refuse(f"s + {i} n", "rsa2049", "RS256", key.bytes(s + i * key.n))


def honest(key, alg="RS256"):
    return key.sign_bytes(pkcs1(digest_info(HASHES[alg[2:]], signing_input(alg)), key.size))


def exponents(vectors):
    group = vectors.group("public exponents")
    for e in (3, 17, 65537, 2**31 - 1):
        key = rsa.key(2048).with_exponent(e)
        group.accept(f"e = {e}", vectors.key(f"rsa2048 e={e}", key.jwk()), "RS256", honest(key))
    padded = {**rsa.key(2048).jwk(), "e": "AAEAAQ"}
    group.accept("e with a leading zero", vectors.key("rsa2048 e=0 65537", padded), "RS256", honest(rsa.key(2048)))
    spelled = rsa.b64u(b"\x00" + rsa.spelled(rsa.key(2048).n))
    padded = {**rsa.key(2048).jwk(), "n": spelled}
    group.accept("n with a leading zero", vectors.key("rsa2048 0 n", padded), "RS256", honest(rsa.key(2048)))


def unfit(vectors):
    """Keys that a sound verifier leaves out, each with a signature that holds by arithmetic where there is one."""
    group = vectors.group("keys that are left out")
    good = rsa.key(2048)
    group.accept("none of this", vectors.key("rsa2048", good.jwk()), "RS256", honest(good))
    block = pkcs1(digest_info("sha256", signing_input("RS256")), good.size)
    low = "RSA exponent is even or below 3"
    one = {**good.jwk(), "e": "AQ"}
    group.skip("e = 1, under which a block signs itself", vectors.key("e=1", one), low, "RS256", block)
    group.skip("e = 0", vectors.key("e=0", {**good.jwk(), "e": "AA"}), low, "RS256", bytes(255) + b"\x01")
    text, square = next(squares(good))
    group.skip("e = 2", vectors.key("e=2", {**good.jwk(), "e": "Ag"}), low, "RS256", square, text)
    even = {**good.jwk(), "e": rsa.b64u(rsa.spelled(65536))}
    group.skip("e = 65536", vectors.key("e=65536", even), low, "RS256", honest(good))
    high = "RSA exponent of more than 31 bits"
    large = next(e for e in range(2**31 + 1, 2**32, 2) if rsa.math.gcd(e, good.order) == 1)
    large = good.with_exponent(large)
    group.skip("e of 32 bits", vectors.key("e of 32 bits", large.jwk()), high, "RS256", honest(large))
    large = good.with_exponent(65537 + good.order)
    group.skip("e larger by the order", vectors.key("e + order", large.jwk()), high, "RS256", honest(good))
    for bits in (1024, 2047, 8193):
        key = rsa.key(bits)
        reason = f"RSA modulus of {bits} bits, not 2048 to 8192"
        group.skip(f"{bits} bits", vectors.key(f"rsa{bits}", key.jwk()), reason, "RS256", honest(key))
    padded = rsa.key(1024).jwk() | {"n": rsa.b64u(bytes(128) + rsa.spelled(rsa.key(1024).n))}
    group.skip(
        "1024 bits after 128 zero bytes",
        vectors.key("rsa1024 padded", padded),
        "RSA modulus of 1024 bits, not 2048 to 8192",
        "RS256",
        bytes(128) + honest(rsa.key(1024)),
    )
    even = rsa.Key([2, prime("even", 2047)])
    block = pkcs1(digest_info("sha256", signing_input("RS256")), even.size)
    odd = pow(int.from_bytes(block, "big"), pow(65537, -1, even.primes[1] - 1), even.primes[1])
    root = odd if odd & 1 == block[-1] & 1 else odd + even.primes[1]
    jwk = even.jwk()
    assert pow(root, 65537, even.n) == int.from_bytes(block, "big")
    group.skip("an even modulus", vectors.key("even n", jwk), "RSA modulus is even", "RS256", even.bytes(root))


def squares(key):
    """Payloads whose block is a square modulo n, with its root."""
    for n in range(1, 99):
        block = int.from_bytes(pkcs1(digest_info("sha256", signing_input("RS256", payload(n))), key.size), "big")
        p, q = key.primes
        a, b = pow(block, (p + 1) // 4, p), pow(block, (q + 1) // 4, q)
        if a * a % p == block % p and b * b % q == block % q:
            yield payload(n), key.bytes((a * q * pow(q, -1, p) + b * p * pow(p, -1, q)) % key.n)


def purposes(vectors):
    """A key that its publisher restricted to one algorithm serves no other."""
    key = rsa.key(2048)
    vectors.key("rsa2048", key.jwk())
    for size in HASHES:
        alg = f"RS{size}"
        group = vectors.group(f"{alg} and what the key is for")
        group.accept("any algorithm", "rsa2048", alg, honest(key, alg))
        for declared in ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"):
            used = vectors.key(f"rsa2048 for {declared}", key.jwk(alg=declared))
            group.add("accept" if declared == alg else "refuse", declared, used, alg, honest(key, alg), PAYLOAD)
