"""RSA keys and what RFC 8017 does with them."""

import hashlib
import math
from functools import cache

from making.arithmetic import b64u, prime, stream

HASHES = {"256": "sha256", "384": "sha384", "512": "sha512"}
# DER of the object identifiers, without tag and length.
OIDS = {
    "md5": "2a864886f70d0205",
    "sha1": "2b0e03021a",
    "sha224": "608648016503040204",
    "sha256": "608648016503040201",
    "sha384": "608648016503040202",
    "sha512": "608648016503040203",
    "sha512_256": "608648016503040206",
    "sha3_256": "608648016503040208",
    "sha3_384": "608648016503040209",
    "sha3_512": "60864801650304020a",
}


class Key:
    """The product of `primes`; a verifier does not mind how many there are."""

    def __init__(self, primes, e=65537):
        self.primes = primes
        self.n = math.prod(primes)
        self.e = e
        self.size = (self.n.bit_length() + 7) // 8
        self.order = math.lcm(*[p - 1 for p in primes])
        self.d = pow(e, -1, self.order) if math.gcd(e, self.order) == 1 else None

    def with_exponent(self, e):
        return Key(self.primes, e)

    def jwk(self, **more):
        return {"kty": "RSA", "n": b64u(spelled(self.n)), "e": b64u(spelled(self.e)), **more}

    def sign(self, encoded):
        """The number that RSA takes to `encoded`."""
        value = int.from_bytes(encoded, "big")
        assert value < self.n
        result = 0
        for p in self.primes:
            rest = self.n // p
            result += pow(value, self.d % (p - 1), p) * pow(rest, -1, p) * rest
        return result % self.n

    def bytes(self, value):
        return value.to_bytes(self.size, "big")

    def sign_bytes(self, encoded):
        return self.bytes(self.sign(encoded))


def spelled(value):
    return value.to_bytes((value.bit_length() + 7) // 8 or 1, "big")


@cache
def key(bits):
    """The key of `bits` bits: of two primes, and of shorter ones where two would take long to find."""
    if bits <= 4096:
        return Key([prime(f"p {bits}", bits - bits // 2), prime(f"q {bits}", bits // 2)])
    first = prime(f"p0 {bits}", 1024 + bits % 1024, ones=16)
    return Key([first] + [prime(f"p{i} {bits}", 1024, ones=16) for i in range(1, bits // 1024)])


def digest(name, data):
    if name == "sha512_256":
        return hashlib.new("sha512_256", data).digest()
    return hashlib.new(name, data).digest()


def tlv(tag, content, length=None):
    """DER, or what `length` makes of it."""
    return bytes([tag]) + (length if length is not None else der_length(len(content))) + content


def der_length(count):
    assert count < 0x80
    return bytes([count])


def digest_info(name, data):
    algorithm = tlv(0x30, tlv(6, bytes.fromhex(OIDS[name])) + b"\x05\x00")
    return tlv(0x30, algorithm + tlv(4, digest(name, data)))


def pkcs1(info, size):
    """EMSA-PKCS1-v1_5 (section 9.2) around `info`."""
    return b"\x00\x01" + b"\xff" * (size - len(info) - 3) + b"\x00" + info


def mgf1(name, seed, length):
    blocks = range(-(-length // len(digest(name, b""))))
    return b"".join(digest(name, seed + i.to_bytes(4, "big")) for i in blocks)[:length]


def xor(a, b):
    return bytes(x ^ y for x, y in zip(a, b, strict=True))


def pss(name, data, bits, salt, mask=None, trailer=0xBC, padding=0, separator=1, top=0, h=None):
    """EMSA-PSS (section 9.1.1) for a modulus of `bits` bits, or what the options make of it."""
    length = (bits - 1 + 7) // 8
    hashed = h or digest(name, bytes(8) + digest(name, data) + salt)
    zeros = length - len(salt) - len(hashed) - 2
    db = bytearray(bytes(zeros) + bytes([separator]) + salt)
    if padding:
        db[zeros - 1] = padding
    masked = bytearray(xor(db, mgf1(mask or name, hashed, len(db))))
    masked[0] = masked[0] & (0xFF >> (8 * length - (bits - 1))) | top
    return bytes(masked) + hashed + bytes([trailer])


def salt(name, label="salt"):
    return stream(label, len(digest(name, b"")))
