"""The curves of RFC 7518 section 3.4 and ECDSA on them, affine and slow."""

import hashlib
from dataclasses import dataclass

from making.arithmetic import b64u, number


@dataclass(frozen=True)
class Curve:
    name: str
    alg: str
    hash: str
    p: int
    b: int
    n: int
    g: tuple

    @property
    def width(self):
        return (self.p.bit_length() + 7) // 8

    def holds(self, point):
        x, y = point
        return (y * y - (x**3 - 3 * x + self.b)) % self.p == 0

    def add(self, a, b):
        """None is the point at infinity."""
        if a is None or b is None:
            return a or b
        if a[0] == b[0] and (a[1] + b[1]) % self.p == 0:
            return None
        if a == b:
            slope = (3 * a[0] * a[0] - 3) * pow(2 * a[1], -1, self.p)
        else:
            slope = (b[1] - a[1]) * pow(b[0] - a[0], -1, self.p)
        x = (slope * slope - a[0] - b[0]) % self.p
        return x, (slope * (a[0] - x) - a[1]) % self.p

    def times(self, scalar, point=None):
        """In Jacobian coordinates, which need one inversion in all."""
        x, y = point or self.g
        result = (1, 1, 0)
        for bit in bin(scalar % self.n)[2:]:
            result = self.double(result)
            if bit == "1":
                result = self.add_affine(result, x, y)
        if result[2] == 0:
            return None
        inverse = pow(result[2], -1, self.p)
        return result[0] * inverse**2 % self.p, result[1] * inverse**3 % self.p

    def double(self, a):
        x, y, z = a
        p = self.p
        delta, gamma = z * z % p, y * y % p
        beta = x * gamma % p
        alpha = 3 * (x - delta) * (x + delta) % p
        doubled = (alpha * alpha - 8 * beta) % p
        return doubled, (alpha * (4 * beta - doubled) - 8 * gamma * gamma) % p, 2 * y * z % p

    def add_affine(self, a, x2, y2):
        x, y, z = a
        p = self.p
        if z == 0:
            return x2, y2, 1
        zz = z * z % p
        h, r = (x2 * zz - x) % p, (y2 * zz * z - y) % p
        if h == 0:
            return self.double(a) if r == 0 else (1, 1, 0)
        hh = h * h % p
        hhh, v = h * hh % p, x * hh % p
        x3 = (r * r - hhh - 2 * v) % p
        return x3, (r * (v - x3) - y * hhh) % p, z * h % p

    def at(self, x):
        """The point with an even ordinate at `x`; None where there is none."""
        y = pow(x**3 - 3 * x + self.b, (self.p + 1) // 4, self.p)
        if not self.holds((x, y)):
            return None
        return x, (y if y % 2 == 0 else self.p - y)

    def first_point(self, x):
        """The first point at `x` or after."""
        while self.at(x) is None:
            x += 1
        return self.at(x)

    def e(self, data, hash=None):
        digest = int.from_bytes(hashlib.new(hash or self.hash, data).digest(), "big")
        length = 8 * hashlib.new(hash or self.hash).digest_size
        return digest >> max(0, length - self.n.bit_length())

    def sign(self, d, data, label="nonce", hash=None):
        k = number(f"{self.name} {label}", self.n)
        r = self.times(k)[0] % self.n
        return r, pow(k, -1, self.n) * (self.e(data, hash) + r * d) % self.n

    def key_for(self, data, point, s):
        """The public key for which the abscissa of `point` and `s` are a signature of `data`."""
        inverse = pow(point[0], -1, self.n)
        key = self.add(self.times(s * inverse, point), self.times(-self.e(data) * inverse))
        assert self.verify(key, data, point[0] % self.n, s)
        return key

    def verify(self, key, data, r, s):
        if not (0 < r < self.n and 0 < s < self.n):
            return False
        w = pow(s, -1, self.n)
        point = self.add(self.times(self.e(data) * w), self.times(r * w, key))
        return point is not None and point[0] % self.n == r

    def jwk(self, point, **more):
        return {"kty": "EC", "crv": self.name, "x": self.text(point[0]), "y": self.text(point[1]), **more}

    def text(self, coordinate):
        return b64u(coordinate.to_bytes(self.width, "big"))

    def raw(self, r, s, width=None):
        width = width or self.width
        return r.to_bytes(width, "big") + s.to_bytes(width, "big")


P256 = Curve(
    "P-256",
    "ES256",
    "sha256",
    0xFFFFFFFF00000001000000000000000000000000FFFFFFFFFFFFFFFFFFFFFFFF,
    0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B,
    0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551,
    (
        0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296,
        0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5,
    ),
)
P384 = Curve(
    "P-384",
    "ES384",
    "sha384",
    2**384 - 2**128 - 2**96 + 2**32 - 1,
    0xB3312FA7E23EE7E4988E056BE3F82D19181D9C6EFE8141120314088F5013875AC656398D8A2ED19D2A85C8EDD3EC2AEF,
    0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFC7634D81F4372DDF581A0DB248B0A77AECEC196ACCC52973,
    (
        0xAA87CA22BE8B05378EB1C71EF320AD746E1D3B628BA79B9859F741E082542A385502F25DBF55296C3A545E3872760AB7,
        0x3617DE4A96262C6F5D9E98BF9292DC29F8F41DBD289A147CE9DA3113B5F0B8C00A60B1CE1D7E819D7A431D7C90EA0E5F,
    ),
)
P521 = Curve(
    "P-521",
    "ES512",
    "sha512",
    2**521 - 1,
    0x0051953EB9618E1C9A1F929A21A0B68540EEA2DA725B99B315F3B8B489918EF109E156193951EC7E937B1652C0BD3BB1BF073573DF883D2C34F1EF451FD46B503F00,
    0x01FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFA51868783BF2F966B7FCC0148F709A5D03BB5C9B8899C47AEBB6FB71E91386409,
    (
        0x00C6858E06B70404E9CD9E3ECB662395B4429C648139053FB521F828AF606B4D3DBAA14B5E77EFE75928FE1DC127A2FFA8DE3348B3C1856A429BF97E7E31C2E5BD66,
        0x011839296A789A3BC0045C8A5FB42C7D1BD998F54449579B446817AFBD17273E662C97EE72995EF42640C550B9013FAD0761353C7086A272C24088BE94769FD16650,
    ),
)
for curve in (P256, P384, P521):
    assert curve.holds(curve.g) and curve.add(curve.times(curve.n - 1), curve.g) is None
