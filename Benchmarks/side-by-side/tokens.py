"""Generates a signing key, its JWK set and PEM, and ID tokens of about 1 KiB in the form of Firebase's. Needs the
package cryptography from PyPI."""

import base64
import json
import time

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa

PROJECT = "bench-project"


def b64(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def number(value):
    return b64(value.to_bytes((value.bit_length() + 7) // 8, "big"))


class TokenMint:
    def __init__(self, folder):
        self.folder = folder
        self.key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        public = self.key.public_key()
        numbers = public.public_numbers()
        jwk = dict(kty="RSA", alg="RS256", use="sig", kid="bench", n=number(numbers.n), e=number(numbers.e))
        (folder / "jwks.json").write_text(json.dumps({"keys": [jwk]}))
        session = ec.generate_private_key(ec.SECP256R1()).private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        (folder / "session.pem").write_bytes(session)
        form = (serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
        (folder / "public.pem").write_bytes(public.public_bytes(*form))

    def token(self, index, signed_in=300):
        """Returns an ID token of a user who signed in `signed_in` seconds ago."""
        now = int(time.time())
        uid = f"bench-user-{index:016d}"
        claims = {
            "iss": f"https://securetoken.google.com/{PROJECT}", "aud": PROJECT, "sub": uid, "user_id": uid,
            "auth_time": now - signed_in, "iat": now - 20, "exp": now + 8 * 3600, "name": f"Bench User {index}",
            "email": f"user{index}@bench.example", "email_verified": True,
            "picture": "https://images.bench.example/profile/0123456789abcdef0123456789abcdef/photo=s96-c",
            "firebase": {
                "identities": {"google.com": [f"{10**20 + index}"], "email": [f"user{index}@bench.example"]},
                "sign_in_provider": "google.com",
            },
        }
        return self.sign(claims, typ="JWT")

    def sign(self, claims, **header):
        header = {"alg": "RS256", "kid": "bench", **header}
        signed = ".".join(b64(json.dumps(part, separators=(",", ":")).encode()) for part in (header, claims))
        return f"{signed}.{b64(self.key.sign(signed.encode(), padding.PKCS1v15(), hashes.SHA256()))}"

    def write(self, count, token=None, name="tokens.txt"):
        """Writes tokens to a file. `token` returns the token of an index, by default an ID token."""
        tokens = [(token or self.token)(index) for index in range(count)]
        (self.folder / name).write_text("\n".join(tokens) + "\n")
        return tokens

    @staticmethod
    def forged(token):
        """Returns the token with an invalid signature of the same length."""
        head, _, signature = token.rpartition(".")
        return f"{head}.{signature[:20]}{'A' if signature[20] != 'A' else 'B'}{signature[21:]}"
