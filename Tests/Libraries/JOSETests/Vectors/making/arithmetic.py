"""Numbers and bytes that every family needs. Nothing is random: all comes from SHAKE-256 of a label."""

import base64
import hashlib
import math

# What a private exponent must exist for; see rsa.py.
EXPONENTS = (3, 17, 65537, 2**31 - 1)
SMALL_PRIMES = [p for p in range(3, 5000, 2) if all(p % q for q in range(3, int(p**0.5) + 1, 2))]


def b64u(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def unb64u(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def stream(label, length):
    """Bytes that anyone can make again from `label`."""
    return hashlib.shake_256(("gatehouse vectors: " + label).encode()).digest(length)


def number(label, below):
    """A number from 1 to below - 1."""
    return int.from_bytes(stream(label, (below.bit_length() + 7) // 8 + 16), "big") % (below - 1) + 1


def is_prime(n):
    if any(n % p == 0 for p in SMALL_PRIMES):
        return n in SMALL_PRIMES
    odd, twos = n - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    return all(is_probable_prime(n, odd, twos, 2 + number(f"witness {i}", 2**64)) for i in range(12))


def is_probable_prime(n, odd, twos, base):
    x = pow(base, odd, n)
    if x in (1, n - 1):
        return True
    for _ in range(twos - 1):
        x = x * x % n
        if x == n - 1:
            return True
    return False


def prime(label, bits, ones=2):
    """A prime of `bits` bits whose first `ones` are set, 3 modulo 4, for which every exponent above has an inverse."""
    top = ((1 << ones) - 1) << (bits - ones)
    candidate = int.from_bytes(stream(label, bits // 8 + 1), "big") % (1 << (bits - ones)) | top | 3
    while math.gcd(candidate - 1, math.prod(EXPONENTS)) != 1 or not is_prime(candidate):
        candidate += 4
    return candidate


def root(value, degree):
    """The largest integer whose power is not above `value`."""
    low, high = 0, 1 << (value.bit_length() // degree + 1)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if middle**degree <= value else (low, middle - 1)
    return low
