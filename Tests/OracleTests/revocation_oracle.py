"""What the Firebase Admin SDK for Python says of tokens with `check_revoked`, and what a gateway does with them.

    revocation_oracle.py FOLDER

Reads FOLDER/setting.json (`project`, `identity_toolkit`: the URL before `/projects/`, `certificates`: the URL of the map of
certificates, `service_account`: a file, `gateway`: a URL) and FOLDER/cases.jsonl, one case a line: `token`. Writes
FOLDER/verdicts.jsonl, one line a case: `sdk` is "accepted" or the exception's class, `gateway` "accepted" or the answer's code.

The SDK runs as it is published; only its addresses are others. Both ask the same Identity Toolkit.
"""

import json
import os
import sys
import urllib.error
import urllib.request

import firebase_admin
from firebase_admin import auth, credentials
from google.auth.transport import requests


class Elsewhere(requests.Request):
    """The transport of google-auth, with another address for the certificates."""

    def __init__(self, certificates):
        super().__init__()
        self._certificates = certificates

    def __call__(self, url, **options):
        return super().__call__(self._certificates, **options)


class Oracle:
    def __init__(self, setting):
        credential = credentials.Certificate(setting["service_account"])
        self._app = firebase_admin.initialize_app(credential, {"projectId": setting["project"]})
        client = auth._get_client(self._app)
        client._token_verifier.request = Elsewhere(setting["certificates"])
        client._user_manager.base_url = f"{setting['identity_toolkit']}/projects/{setting['project']}"
        self._gateway = setting["gateway"]

    def sdk(self, token):
        try:
            auth.verify_id_token(token, app=self._app, check_revoked=True)
        except Exception as error:  # Whatever it raises, it did not accept.
            return type(error).__name__
        return "accepted"

    def gateway(self, token):
        request = urllib.request.Request(self._gateway, headers={"Authorization": f"Bearer {token}"})
        try:
            with urllib.request.urlopen(request, timeout=30):
                return "accepted"
        except urllib.error.HTTPError as error:
            return json.load(error)["code"]


def main(folder):
    with open(os.path.join(folder, "setting.json")) as file:
        oracle = Oracle(json.load(file))
    with open(os.path.join(folder, "cases.jsonl")) as cases, open(os.path.join(folder, "verdicts.jsonl"), "w") as verdicts:
        for line in cases:
            token = json.loads(line)["token"]
            verdicts.write(json.dumps({"sdk": oracle.sdk(token), "gateway": oracle.gateway(token)}) + "\n")


main(sys.argv[1])
