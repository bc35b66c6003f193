"""What the Firebase Admin SDK for Python says of App Check tokens.

    app_check_oracle.py FOLDER

Reads FOLDER/setting.json (`projects`, `now`), FOLDER/jwks.json and FOLDER/tokens.jsonl, one token (base64) a line.
Writes FOLDER/verdicts.jsonl, one line a token: `app` of a token that the SDK accepts for one of the projects, else
`error`. Google's recipe accepts an `aud` with the id or the number of the project; the SDK knows one of them at a time.

The SDK runs as it is published, but for the clock, which stands at `now`, and the key set, which is not fetched.
"""

import base64
import datetime
import json
import os
import sys

import google.auth.credentials
import jwt.api_jwt

import firebase_admin
from firebase_admin import app_check, credentials


class NoCredential(credentials.Base):
    """Verifying needs none."""

    def get_credential(self):
        return google.auth.credentials.AnonymousCredentials()


def service(project, jwks):
    app = firebase_admin.initialize_app(NoCredential(), {"projectId": project}, name=project)
    app_check._get_app_check_service(app)._jwks_client.fetch_data = lambda: jwks
    return app


def verdict(token, apps):
    errors = []
    for app in apps:
        try:
            name = app_check.verify_token(token.decode("utf-8", "surrogateescape"), app)["app_id"]
            # The SDK lets half a surrogate pair pass, which is no UTF-8.
            return {"app": name.encode("utf-8", "replace").decode()}
        except Exception as error:  # Whatever it raises, it did not accept.
            errors.append(f"{type(error).__name__}: {ascii(str(error))[:160]}")
    return {"error": "; ".join(errors)}


def freeze(now):
    class Frozen(datetime.datetime):
        @classmethod
        def now(cls, tz=None):
            return cls.fromtimestamp(now, tz)

    jwt.api_jwt.datetime = Frozen


def main(folder):
    def read(name):
        with open(os.path.join(folder, name)) as file:
            return json.load(file)

    setting, jwks = read("setting.json"), read("jwks.json")
    apps = [service(project, jwks) for project in setting["projects"]]
    freeze(setting["now"])
    with open(os.path.join(folder, "tokens.jsonl")) as tokens, open(os.path.join(folder, "verdicts.jsonl"), "w") as out:
        for line in tokens:
            out.write(json.dumps(verdict(base64.b64decode(json.loads(line)), apps)) + "\n")


main(sys.argv[1])
