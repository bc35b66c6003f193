"""Creates a signing key, its JWK set, and tokens of Firebase and of two providers. Needs the package cryptography."""

import base64
import json
import time

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa

PROJECT = "faults-project"
GOOGLE, CORP = "google.com", "oidc.corp"
AUDIENCE = "faults-app"
ISSUERS = {GOOGLE: "https://accounts.google.com", CORP: "https://id.corp.example"}


def b64(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def number(value):
    return b64(value.to_bytes((value.bit_length() + 7) // 8, "big"))


class Mint:
    """Signs tokens. All issuers have the same key."""

    def __init__(self):
        self.key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        numbers = self.key.public_key().public_numbers()
        jwk = {"kty": "RSA", "alg": "RS256", "use": "sig", "kid": "faults", "n": number(numbers.n),
               "e": number(numbers.e)}
        self.jwks = json.dumps({"keys": [jwk]}).encode()

    @staticmethod
    def session_key():
        """Returns a new key for session cookies, as PEM."""
        return ec.generate_private_key(ec.SECP256R1()).private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())

    def id_token(self, uid, auth_time):
        """Returns an ID token of Firebase."""
        return self.sign({
            "iss": f"https://securetoken.google.com/{PROJECT}", "aud": PROJECT, "sub": uid, "user_id": uid,
            "auth_time": auth_time, "iat": auth_time, "exp": auth_time + 4 * 3600,
            "firebase": {"identities": {}, "sign_in_provider": "password"},
        })

    def provider_token(self, provider, subject, nonce, issued):
        """Returns an ID token of a provider for the hash of a nonce."""
        claims = {"iss": ISSUERS[provider], "aud": AUDIENCE, "sub": subject, "nonce": nonce, "iat": issued,
                  "exp": issued + 3600}
        if provider == CORP:
            claims["auth_time"] = issued
        return self.sign(claims)

    def sign(self, claims):
        header = {"alg": "RS256", "kid": "faults", "typ": "JWT"}
        signed = ".".join(b64(json.dumps(part, separators=(",", ":")).encode()) for part in (header, claims))
        return f"{signed}.{b64(self.key.sign(signed.encode(), padding.PKCS1v15(), hashes.SHA256()))}"


def now():
    return int(time.time())
