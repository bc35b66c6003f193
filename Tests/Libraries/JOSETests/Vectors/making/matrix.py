"""Every header with every signature. One RSA key serves its six algorithms, so nothing else differs."""

from making import ec, eddsa, rsa
from making.arithmetic import number
from making.rows import PAYLOAD, Vectors, signing_input

ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
CURVES = {curve.alg: curve for curve in (ec.P256, ec.P384, ec.P521)}


def make():
    vectors = Vectors()
    owner = eddsa.Owner(vectors, "Ed25519")
    for header in ALGORITHMS:
        group = vectors.group(f"a header that says {header}")
        for signer in ALGORITHMS:
            raw = sign(signer, signing_input(header), owner)
            verdict = "accept" if signer == header else "refuse"
            group.add(verdict, f"signed by {signer}", key(vectors, header), header, raw, PAYLOAD)
    return vectors


def key(vectors, alg):
    if alg == "EdDSA":
        return "Ed25519"
    if alg in CURVES:
        curve = CURVES[alg]
        return vectors.key(curve.name, curve.jwk(curve.times(private(curve))))
    return vectors.key("RSA", rsa.key(2048).jwk())


def private(curve):
    return number(f"{curve.name} matrix", curve.n)


def sign(alg, data, owner):
    if alg == "EdDSA":
        return owner.sign(data)
    if alg in CURVES:
        curve = CURVES[alg]
        return curve.raw(*curve.sign(private(curve), data))
    name, rsa_key = rsa.HASHES[alg[2:]], rsa.key(2048)
    if alg.startswith("RS"):
        return rsa_key.sign_bytes(rsa.pkcs1(rsa.digest_info(name, data), rsa_key.size))
    return rsa_key.sign_bytes(rsa.pss(name, data, 2048, rsa.salt(name)))
