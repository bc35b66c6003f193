"""Every verdict again, by arithmetic of our own that is strict, and what is accepted by `cryptography` too."""

import collections
import hashlib
import hmac

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec as library_ec
from cryptography.hazmat.primitives.asymmetric import ed25519, padding, utils
from cryptography.hazmat.primitives.asymmetric import rsa as library_rsa

from making import ec, edwards, rsa
from making.arithmetic import unb64u
from making.rows import message, signature

CURVES = {"P-256": ec.P256, "P-384": ec.P384, "P-521": ec.P521}
HASHES = {"256": hashes.SHA256(), "384": hashes.SHA384(), "512": hashes.SHA512()}
POINTS = {"P-256": library_ec.SECP256R1(), "P-384": library_ec.SECP384R1(), "P-521": library_ec.SECP521R1()}


def check(vectors):
    names = collections.Counter((group.about, row["name"]) for group in vectors.groups for row in group.rows)
    assert max(names.values()) == 1, names.most_common(3)
    for group in vectors.groups:
        assert any(row["verdict"] in ("accept", "take") for row in group.rows), group.about
        for row in group.rows:
            check_row(vectors.keys[row["key"]], row, group.about)
    return dict(collections.Counter(row["verdict"] for row in vectors.rows()))


def check_row(jwk, row, about):
    where = f"{about}: {row['name']}"
    if row["verdict"] in ("accept", "refuse"):
        assert strict(jwk, row) == (row["verdict"] == "accept"), where
    if row["verdict"] in ("accept", "take"):
        assert library(jwk, row), where
    if row["verdict"] == "refuse" and library(jwk, row):
        print("  laxer than wanted in cryptography:", where)


def strict(jwk, row):
    if jwk.get("alg", row["alg"]) != row["alg"]:
        return False
    match row["alg"][:2], jwk["kty"]:
        case "RS", "RSA":
            return pkcs1(jwk, row)
        case "PS", "RSA":
            return pss(jwk, row)
        case "ES", "EC":
            return ecdsa(jwk, row)
        case "Ed", "OKP":
            return edwards.verify(unb64u(jwk["x"]), message(row), signature(row))
    return False


def block(jwk, row):
    """What the public operation makes of the signature; None when it is not a number below n of n's length."""
    n, e = number(jwk["n"]), number(jwk["e"])
    length = (n.bit_length() + 7) // 8
    s = int.from_bytes(signature(row), "big")
    if len(signature(row)) != length or s >= n:
        return None
    return pow(s, e, n).to_bytes(length, "big")


def pkcs1(jwk, row):
    made = block(jwk, row)
    info = rsa.digest_info(rsa.HASHES[row["alg"][2:]], message(row))
    return made is not None and made == rsa.pkcs1(info, len(made))


def pss(jwk, row):
    made, name = block(jwk, row), rsa.HASHES[row["alg"][2:]]
    bits, length = number(jwk["n"]).bit_length() - 1, hashlib.new(name).digest_size
    if made is None:
        return False
    size = (bits + 7) // 8
    if len(made) > size and made[0] != 0:
        return False
    made = made[-size:]
    masked, h, trailer = made[: -length - 1], made[-length - 1 : -1], made[-1]
    if trailer != 0xBC or masked[0] >> (8 - (8 * size - bits)):
        return False
    db = bytearray(rsa.xor(masked, rsa.mgf1(name, h, len(masked))))
    db[0] &= 0xFF >> (8 * size - bits)
    zeros = len(db) - length - 1
    if any(db[:zeros]) or db[zeros] != 1:
        return False
    return hmac.compare_digest(h, rsa.digest(name, bytes(8) + rsa.digest(name, message(row)) + bytes(db[zeros + 1 :])))


def ecdsa(jwk, row):
    curve, raw = CURVES[jwk["crv"]], signature(row)
    if curve.alg != row["alg"] or len(raw) != 2 * curve.width:
        return False
    r, s = halves(raw)
    return curve.verify((number(jwk["x"]), number(jwk["y"])), message(row), r, s)


def halves(raw):
    middle = len(raw) // 2
    return int.from_bytes(raw[:middle], "big"), int.from_bytes(raw[middle:], "big")


def library(jwk, row):
    try:
        if jwk["kty"] == "RSA":
            library_verify_rsa(jwk, row)
        elif jwk["kty"] == "EC":
            point = library_ec.EllipticCurvePublicNumbers(number(jwk["x"]), number(jwk["y"]), POINTS[jwk["crv"]])
            if row["verdict"] == "take":
                point.public_key()
                return True
            assert strict_shape(jwk, row)
            der = utils.encode_dss_signature(*halves(signature(row)))
            point.public_key().verify(der, message(row), library_ec.ECDSA(HASHES[row["alg"][2:]]))
        else:
            key = ed25519.Ed25519PublicKey.from_public_bytes(unb64u(jwk["x"]))
            if row["verdict"] != "take":
                key.verify(signature(row), message(row))
    except (InvalidSignature, AssertionError, ValueError):
        return False
    return True


def strict_shape(jwk, row):
    """What the library does not know of: JWS's spelling and the key's own algorithm."""
    curve = CURVES[jwk["crv"]]
    return curve.alg == row["alg"] and len(signature(row)) == 2 * curve.width


def library_verify_rsa(jwk, row):
    assert jwk.get("alg", row["alg"]) == row["alg"] and row["alg"][:2] in ("RS", "PS")
    key = library_rsa.RSAPublicNumbers(number(jwk["e"]), number(jwk["n"])).public_key()
    hash = HASHES[row["alg"][2:]]
    scheme = padding.PKCS1v15()
    if row["alg"].startswith("PS"):
        scheme = padding.PSS(padding.MGF1(hash), hash.digest_size)
    key.verify(signature(row), message(row), scheme, hash)


def number(text):
    return int.from_bytes(unb64u(text), "big")
