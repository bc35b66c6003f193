"""Google's side of Firebase Authentication on loopback, for any number of projects and tenants: Identity Toolkit, the
token endpoint of service accounts and the keys of ID tokens. And the service behind a gateway.

The paths are those of the Auth emulator, `/identitytoolkit.googleapis.com/v1/projects/PROJECT...`. As an emulator, it
issues unsigned tokens and accepts the access token `owner`. Otherwise ID tokens are signed, and a caller needs an
access token of a service account of the same project.
"""

import base64
import datetime
import http.server
import json
import re
import secrets
import threading
import time
import urllib.parse

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.x509.oid import NameOID
from google.auth import jwt

# The age of an account in seconds. As at Firebase, `validSince` begins with the time of the creation.
AGE = 3600
TOOLKIT = "/identitytoolkit.googleapis.com/v1"
SCOPES = {f"https://www.googleapis.com/auth/{name}" for name in ("cloud-platform", "firebase", "identitytoolkit")}


def b64(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class Key:
    """An RSA key with a certificate, as Google publishes them."""

    def __init__(self, key_id):
        self.id, self.private = key_id, rsa.generate_private_key(public_exponent=65537, key_size=2048)
        self.pem = self.private.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()).decode()
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "securetoken.system.gserviceaccount.com")])
        now, day = datetime.datetime.now(datetime.timezone.utc), datetime.timedelta(days=1)
        certificate = (
            x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(self.private.public_key())
            .serial_number(x509.random_serial_number()).not_valid_before(now - day).not_valid_after(now + day)
            .sign(self.private, hashes.SHA256()))
        self.certificate = certificate.public_bytes(serialization.Encoding.PEM).decode()

    @property
    def jwk(self):
        numbers = self.private.public_key().public_numbers()
        modulus, exponent = (b64(value.to_bytes((value.bit_length() + 7) // 8, "big"))
                             for value in (numbers.n, numbers.e))
        return {"kty": "RSA", "alg": "RS256", "use": "sig", "kid": self.id, "n": modulus, "e": exponent}

    def sign(self, data):
        return self.private.sign(data, padding.PKCS1v15(), hashes.SHA256())


class Rejection(Exception):
    """An error of Google's APIs."""

    def __init__(self, status, message):
        super().__init__(message)
        self.status, self.message = status, message


class Handler(http.server.BaseHTTPRequestHandler):
    """One connection. The server's `respond` returns the document of each request."""

    protocol_version = "HTTP/1.1"

    def respond(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        try:
            status, document = 200, self.server.respond(self, body)
        except Rejection as error:
            status, document = error.status, {"error": {"code": error.status, "message": error.message}}
        data = json.dumps(document).encode()
        # Including `Date`, which bounds the times that a gateway writes.
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_POST = respond

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    """A server on a free port of loopback. It ends with the process."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.host = f"127.0.0.1:{self.server_port}"
        self.url = f"http://{self.host}"
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Service(Server):
    """The service behind the gateways. It responds with the user that the gateway names."""

    def respond(self, request, body):
        return [request.headers.get(f"X-Auth-{name}") for name in ("Uid", "Tenant", "Project")]


class Platform(Server):
    """Google's side."""

    def __init__(self, tenants, is_emulator):
        # The tenants of each project, `None` for the accounts without one.
        self.tenants, self.is_emulator = tenants, is_emulator
        self.accounts, self.lookups = {}, []
        self.changed = threading.Condition()
        self.service_accounts, self.grants = {}, {}
        self.key = None if is_emulator else Key("platform-key")
        super().__init__()

    def respond(self, request, body):
        path = urllib.parse.unquote(request.path)
        if path.startswith(TOOLKIT):
            return self.toolkit(path.removeprefix(TOOLKIT), request.headers.get("Authorization", ""), json.loads(body))
        if self.is_emulator:
            raise Rejection(501, "not implemented in the Auth Emulator")
        match path:
            case "/keys":
                return {"keys": [self.key.jwk]}
            case "/certificates":
                return {self.key.id: self.key.certificate}
            case "/token":
                return self.access_token(urllib.parse.parse_qs(body.decode()))
        raise Rejection(404, "Not Found")

    # Accounts

    def toolkit(self, path, authorization, body):
        found = re.fullmatch(r"/projects/([^/]+)(?:/tenants/([^/]+))?/accounts(?::(lookup|update|delete))?", path)
        if not found:
            raise Rejection(404, "Not Found")
        project, tenant, call = found.groups()
        self.authorize(authorization, project)
        if tenant not in self.tenants[project]:
            raise Rejection(400, "TENANT_NOT_FOUND")
        with self.changed:
            result = getattr(self, call or "create")(project, tenant, body)
            self.changed.notify_all()
            return result

    def create(self, project, tenant, body):
        # `disabled` is absent until the first change. So is `validSince` of an account without a password, at the
        # emulator only.
        record = {"localId": body["localId"]} | ({"tenantId": tenant} if tenant else {})
        if not self.is_emulator:
            record["validSince"] = str(int(time.time()) - AGE)
        self.accounts[project, tenant, body["localId"]] = record
        return {"kind": "identitytoolkit#SignupNewUserResponse", "localId": body["localId"]}

    def lookup(self, project, tenant, body):
        names = [(project, tenant, uid) for uid in body["localId"]]
        self.lookups += names
        users = [dict(self.accounts[name]) for name in names if name in self.accounts]
        # Without a user, the member is absent.
        return {"kind": "identitytoolkit#GetAccountInfoResponse"} | ({"users": users} if users else {})

    def update(self, project, tenant, body):
        record = self.account(project, tenant, body["localId"])
        # Stored as it is, in seconds. It may go back.
        if "validSince" in body:
            record["validSince"] = str(int(body["validSince"]))
        if "disableUser" in body:
            record["disabled"] = body["disableUser"]
        return {"kind": "identitytoolkit#SetAccountInfoResponse", "localId": body["localId"]}

    def delete(self, project, tenant, body):
        self.account(project, tenant, body["localId"])
        del self.accounts[project, tenant, body["localId"]]
        return {"kind": "identitytoolkit#DeleteAccountResponse"}

    def account(self, *name):
        if name not in self.accounts:
            raise Rejection(400, "USER_NOT_FOUND")
        return self.accounts[name]

    def await_account(self, name, holds, seconds=120):
        """Waits for a state of an account. Returns whether it occurs in time."""
        with self.changed:
            return self.changed.wait_for(lambda: holds(self.accounts[name]), seconds)

    # Service accounts

    def service_account(self, project):
        """Returns the key file of a service account that may access the accounts of one project."""
        email = f"gateway@{project}.iam.gserviceaccount.com"
        key = self.service_accounts[email] = self.service_accounts.get(email) or Key(f"key-of-{project}")
        return {
            "type": "service_account", "project_id": project, "private_key_id": key.id, "private_key": key.pem,
            "client_email": email, "token_uri": f"{self.url}/token",
        }

    def access_token(self, form):
        """Exchanges the assertion of a service account (RFC 7523)."""
        assertion = form["assertion"][0]
        email = jwt.decode(assertion, verify=False)["iss"]
        # Google's client libraries name this audience, whatever the address of the token endpoint.
        audiences = [f"{self.url}/token", "https://oauth2.googleapis.com/token"]
        try:
            claims = jwt.decode(assertion, certs=self.service_accounts[email].certificate, audience=audiences)
        except (KeyError, ValueError) as error:
            raise Rejection(400, f"invalid_grant: {error}") from error
        token = "ya29." + secrets.token_urlsafe(32)
        self.grants[token] = re.search(r"@([^.]+)\.", email)[1], set(claims["scope"].split())
        return {"access_token": token, "expires_in": 3600, "token_type": "Bearer"}

    def authorize(self, authorization, project):
        scheme, _, token = authorization.partition(" ")
        if scheme.lower() != "bearer" or not (token == "owner" if self.is_emulator else token in self.grants):
            raise Rejection(401, "UNAUTHENTICATED")
        if not self.is_emulator and (self.grants[token][0] != project or not self.grants[token][1] & SCOPES):
            raise Rejection(403, "PERMISSION_DENIED")

    # ID tokens

    def id_token(self, project, tenant, uid, signed_in_at):
        """Returns the ID token of a sign-in at that time, in seconds since 1970."""
        header = {"alg": "none", "typ": "JWT"} if self.is_emulator else {
            "alg": "RS256", "typ": "JWT", "kid": self.key.id}
        claims = {
            "iss": f"https://securetoken.google.com/{project}", "aud": project, "sub": uid, "user_id": uid,
            "auth_time": signed_in_at, "iat": signed_in_at, "exp": signed_in_at + 3600,
            "firebase": {"identities": {}, "sign_in_provider": "custom"} | ({"tenant": tenant} if tenant else {}),
        }
        signed = ".".join(b64(json.dumps(part).encode()) for part in (header, claims))
        return f"{signed}.{'' if self.is_emulator else b64(self.key.sign(signed.encode()))}"
