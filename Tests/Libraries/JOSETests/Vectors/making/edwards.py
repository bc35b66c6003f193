"""The curve of Ed25519 (RFC 8032 section 5.1), affine and slow."""

import hashlib

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P
IDENTITY = (0, 1)


def add(a, b):
    product = D * a[0] * b[0] * a[1] * b[1]
    x = (a[0] * b[1] + a[1] * b[0]) * pow(1 + product, -1, P)
    y = (a[1] * b[1] + a[0] * b[0]) * pow(1 - product, -1, P)
    return x % P, y % P


def times(scalar, point):
    result = IDENTITY
    for bit in bin(scalar)[2:]:
        result = add(result, result)
        if bit == "1":
            result = add(result, point)
    return result


def encode(point):
    return (point[1] | (point[0] & 1) << 255).to_bytes(32, "little")


def abscissa(y):
    """The even x at `y`; None where there is none."""
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    if x * x % P != square:
        x = x * pow(2, (P - 1) // 4, P) % P
    if x * x % P != square:
        return None
    return x if x % 2 == 0 else P - x


def decode(data):
    """The point; None when it is not one, or not spelled canonically."""
    value = int.from_bytes(data, "little")
    sign, y = value >> 255, value & (1 << 255) - 1
    x = abscissa(y) if y < P else None
    if x is None or (x == 0 and sign):
        return None
    return (P - x if sign else x), y


B = (abscissa(4 * pow(5, -1, P) % P), 4 * pow(5, -1, P) % P)
assert times(L, B) == IDENTITY


def small_points():
    """The points whose order divides 8, by way of what is left of a point when its large order is taken away."""
    y = 2
    while True:
        x = abscissa(y)
        if x is not None:
            point = times(L, (x, y))
            if times(4, point) != IDENTITY:
                return [times(i, point) for i in range(8)]
        y += 1


def challenge(r, a, message):
    return int.from_bytes(hashlib.sha512(r + a + message).digest(), "little") % L


def expand(seed):
    """The secret scalar and the prefix."""
    h = hashlib.sha512(seed).digest()
    scalar = int.from_bytes(h[:32], "little") & ((1 << 254) - 8) | 1 << 254
    return scalar, h[32:]


def verify(key, message, signature):
    """Section 5.1.7 without the cofactor and without leniency."""
    if len(key) != 32 or len(signature) != 64:
        return False
    a, r, s = decode(key), decode(signature[:32]), int.from_bytes(signature[32:], "little")
    if a is None or r is None or s >= L:
        return False
    return times(s, B) == add(r, times(challenge(signature[:32], key, message), a))
