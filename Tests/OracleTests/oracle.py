"""What the Firebase Admin SDK for Python says of tokens.

    oracle.py FOLDER

Reads FOLDER/setting.json (`project`, `now`), FOLDER/certificates.json (`{kid: pem}`, as Google publishes it) and
FOLDER/cases.jsonl, one case a line: `token` (base64), `kind` ("id" or "cookie"), `skew` in seconds, `tenant` or none.
Writes FOLDER/verdicts.jsonl, one line a case: `uid` (base64) of a token that the SDK accepts, else `error` and `message`.

The SDK runs as it is published, but for the clock, which stands at `now`, and the transport, which answers with the
certificates instead of asking the network.
"""

import base64
import datetime
import json
import os
import sys
import time

import google.auth.credentials
from google.auth import _helpers

import firebase_admin
from firebase_admin import auth, credentials, tenant_mgt

CERTIFICATE_URLS = {
    "https://www.googleapis.com/robot/v1/metadata/x509/securetoken@system.gserviceaccount.com",
    "https://www.googleapis.com/identitytoolkit/v3/relyingparty/publicKeys",
}


class NoCredential(credentials.Base):
    """Verifying needs none."""

    def get_credential(self):
        return google.auth.credentials.AnonymousCredentials()


class Response:
    status = 200
    headers = {}

    def __init__(self, data):
        self.data = data


class Certificates:
    """The transport of google-auth, without a network."""

    def __init__(self, data):
        self._response = Response(data)

    def __call__(self, url, method="GET", **_):
        assert method == "GET" and url in CERTIFICATE_URLS, url
        return self._response


class Oracle:
    def __init__(self, project, certificates):
        self._app = firebase_admin.initialize_app(NoCredential(), {"projectId": project})
        self._certificates = Certificates(certificates)
        # The module's functions use this client.
        self._client(None)

    def _client(self, tenant):
        client = tenant_mgt.auth_for_tenant(tenant, self._app) if tenant else auth._get_client(self._app)
        client._token_verifier.request = self._certificates
        return client

    def _claims(self, token, kind, skew, tenant):
        # Only ID tokens can be asked of a tenant's client.
        if kind == "cookie":
            return auth.verify_session_cookie(token, app=self._app, clock_skew_seconds=skew)
        return self._client(tenant).verify_id_token(token, clock_skew_seconds=skew)

    def verdict(self, case):
        token, kind, skew, tenant = base64.b64decode(case["token"]), case["kind"], case["skew"], case.get("tenant")
        try:
            uid = self._claims(token, kind, skew, tenant)["uid"]
        except Exception as error:  # Whatever it raises, it did not accept.
            return {"error": type(error).__name__, "message": ascii(str(error))[:200]}
        # The SDK lets half a surrogate pair pass, which is no UTF-8.
        return {"uid": base64.b64encode(uid.encode("utf-8", "surrogatepass")).decode()}


def freeze(now):
    _helpers.utcnow = lambda: datetime.datetime.fromtimestamp(now, datetime.timezone.utc).replace(tzinfo=None)
    time.time = lambda: float(now)


def main(folder):
    def path(name):
        return os.path.join(folder, name)

    with open(path("setting.json")) as file:
        setting = json.load(file)
    with open(path("certificates.json"), "rb") as file:
        oracle = Oracle(setting["project"], file.read())
    freeze(setting["now"])
    with open(path("cases.jsonl")) as cases, open(path("verdicts.jsonl"), "w") as verdicts:
        for line in cases:
            verdicts.write(json.dumps(oracle.verdict(json.loads(line))) + "\n")


main(sys.argv[1])
