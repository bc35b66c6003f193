"""One uid in two Firebase projects with three tenants each, at two gateways and at the Firebase Admin SDK for Python.

    platform_story.py FOLDER GATEHOUSE [--emulator]

GATEHOUSE is the program. FOLDER receives configurations and logs of the gateways. All parties use one fake platform
(fake_platform.py). One gateway writes its changes back. The other has a store of its own and only reads the accounts.
Each sentence of the output was checked at all of them. The first false one ends the run with status 1.

The SDK runs as it is published. Without `--emulator`, only its addresses are others.
"""

import atexit
import http.client
import json
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time

# The folder of the scripts belongs to the sources.
sys.dont_write_bytecode = True

import firebase_admin  # noqa: E402
from firebase_admin import auth, credentials  # noqa: E402
from google.auth.transport import requests  # noqa: E402

from fake_platform import AGE, TOOLKIT, Platform, Service  # noqa: E402

PROJECTS = ("demo-north", "demo-south")
TENANTS = (None, "acme-x1", "globex-y2", "initech-z3")
PLACES = [(project, tenant) for project in PROJECTS for tenant in TENANTS]
# Half of the places, and the other half. Places of one project, and of one tenant, are in both.
HALVES = [[place for index, place in enumerate(PLACES) if (index in (0, 2, 5, 7)) == half] for half in (True, False)]
ADMIN_TOKEN = "story-admin-token-0123456789"
CODES = {"auth/id-token-revoked": "revoked", "auth/user-disabled": "disabled"}
# A deleted user has no valid tokens.
ERRORS = {"RevokedIdTokenError": "revoked", "UserDisabledError": "disabled", "UserNotFoundError": "revoked"}


def require(holds, what):
    if not holds:
        sys.exit(f"FAILED: {what}")


def user(place, uid):
    """Returns the user that each party names for an accepted token."""
    project, tenant = place
    return [uid, tenant, project]


def received(body):
    """Returns the user that the service received. A user of the first project has no `X-Auth-Project`."""
    uid, tenant, project = json.loads(body)
    return [uid, tenant, project or PROJECTS[0]]


def eventually(holds, what):
    """Repeats an observation until it holds, for at most two minutes."""
    end, pause = time.monotonic() + 120, threading.Event()
    while not holds():
        require(time.monotonic() < end, what)
        pause.wait(0.05)


class Gateway:
    """A gateway as a process, and a client with one connection to it."""

    def __init__(self, story, name, writes_back):
        file = story.folder / f"{name}.yaml"
        # JSON is valid YAML.
        file.write_text(json.dumps(story.configuration(writes_back), indent=1))
        self.process = subprocess.Popen(
            [story.binary, "serve", "--config", file], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        atexit.register(self.process.kill)
        self.log = open(story.folder / f"{name}.log", "w")
        self.port, self.admin_port = self.read_port("msg=listening"), self.read_port('msg="admin listening"')
        threading.Thread(target=self.keep_log, daemon=True).start()
        self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        eventually(lambda: self.admin("/readyz", "GET")[0] == 200, f"{name} is not ready; see {self.log.name}")

    def read_port(self, message):
        for line in self.process.stderr:
            self.log.write(line)
            if message in line:
                return int(line.partition("address=127.0.0.1:")[2].split()[0])
        self.log.flush()
        sys.exit(f"FAILED: a gateway did not start; see {self.log.name}")

    def keep_log(self):
        for line in self.process.stderr:
            self.log.write(line)
            self.log.flush()

    def stop(self):
        self.connection.close()
        self.process.terminate()
        require(self.process.wait(120) == 0, f"the gateway ended with an error; see {self.log.name}")

    def exchange(self, method, path, fields, body=None):
        self.connection.request(method, path, body, fields)
        response = self.connection.getresponse()
        return response.status, response.headers, response.read()

    def verdict(self, token, path):
        """Returns the user that the service received, or the reason of a rejection."""
        status, _, body = self.exchange("GET", path, {"Authorization": f"Bearer {token}"})
        if status == 200:
            return received(body)
        code = json.loads(body)["code"]
        return CODES.get(code, code) if status == 401 else f"{status} {code}"

    def admin(self, path, method="POST"):
        connection = http.client.HTTPConnection("127.0.0.1", self.admin_port, timeout=120)
        connection.request(method, path, headers={"Authorization": f"Bearer {ADMIN_TOKEN}"})
        response = connection.getresponse()
        document = json.loads(response.read())
        connection.close()
        return response.status, document

    def account_call(self, call, body, cookie=None):
        """Calls the endpoint of accounts. Returns the status and the session cookie."""
        fields = {"Content-Type": "application/json"} | ({"Cookie": cookie} if cookie else {})
        status, headers, _ = self.exchange("POST", f"/.gatehouse/{call}", fields, json.dumps(body))
        return status, headers.get("Set-Cookie", "").partition(";")[0]


class Elsewhere(requests.Request):
    """The transport of google-auth, with another address for the certificates."""

    def __init__(self, certificates):
        super().__init__()
        self._certificates = certificates

    def __call__(self, url, **options):
        return super().__call__(self._certificates, **options)


class Story:
    def __init__(self, folder, binary, is_emulator):
        self.folder, self.binary = pathlib.Path(folder).resolve(), binary
        self.service = Service()
        self.platform = Platform({project: TENANTS for project in PROJECTS}, is_emulator)
        if is_emulator:
            # For the SDK and the gateways.
            os.environ["FIREBASE_AUTH_EMULATOR_HOST"] = self.platform.host
        else:
            for project in PROJECTS:
                file = self.folder / f"{project}.json"
                file.touch(mode=0o600)
                file.write_text(json.dumps(self.platform.service_account(project)))
        self.sdk = {place: self.sdk_client(*place) for place in PLACES}
        self.gateway, self.reader = Gateway(self, "gateway", True), Gateway(self, "reader", False)
        self.signed_in_at, self.checks = None, 0

    def stop(self):
        self.gateway.stop()
        self.reader.stop()

    def sdk_client(self, project, tenant):
        if project not in firebase_admin._apps:
            credential = None if self.platform.is_emulator else credentials.Certificate(self.folder / f"{project}.json")
            firebase_admin.initialize_app(credential, {"projectId": project}, project)
        app = firebase_admin.get_app(project)
        client = auth.Client(app, tenant_id=tenant)
        if not self.platform.is_emulator:
            client._token_verifier.request = Elsewhere(f"{self.platform.url}/certificates")
            path = f"/projects/{project}" + (f"/tenants/{tenant}" if tenant else "")
            client._user_manager.base_url = self.platform.url + TOOLKIT + path
        return client

    def configuration(self, writes_back):
        """Returns the configuration of a gateway that enforces the accounts of the platform."""
        firebase = {"projects": [{"project": project, "tenant": "*"} for project in PROJECTS]}
        revocation = {"source": "firebase", "max_staleness": "1s"}
        if writes_back:
            revocation["write_back"] = {"identity_toolkit": True}
        if not self.platform.is_emulator:
            accounts = f"{self.platform.url}{TOOLKIT}/projects/{{project}}/accounts"
            firebase |= {"keys_url": f"{self.platform.url}/keys", "session_keys_url": f"{self.platform.url}/keys"}
            revocation["lookup_url"] = f"{accounts}:lookup"
            if writes_back:
                revocation["write_back"]["update_url"] = f"{accounts}:update"
            for entry in firebase["projects"]:
                entry["service_account"] = str(self.folder / f"{entry['project']}.json")
        return {
            "listen": [{"address": "127.0.0.1:0"}], "workers": 1, "drain": {"delay": "0s", "timeout": "1s"},
            "admin": {"address": "127.0.0.1:0", "token": ADMIN_TOKEN}, "store": "sqlite::memory:",
            "log": {"access": "off"}, "accounts": {}, "identity": {"firebase": firebase}, "revocation": revocation,
            "upstreams": {"api": {"servers": [self.service.url]}},
            "routes": [{"path": "/strict/**", "revocation": "strict", "upstream": "api"},
                       {"path": "/**", "upstream": "api"}],
        }

    # Observations

    def token(self, place, uid, signed_in_at=None):
        return self.platform.id_token(*place, uid, signed_in_at or self.signed_in_at)

    def sdk_verdict(self, place, uid, token):
        """Returns the user of a token that the SDK accepts, or the reason of its rejection."""
        try:
            claims = self.sdk[place].verify_id_token(token, check_revoked=True)
        except Exception as error:  # Whatever it raises, it did not accept.
            return ERRORS.get(type(error).__name__, f"{type(error).__name__}: {error}")
        return [claims["uid"], claims["firebase"].get("tenant"), claims["aud"]]

    def expect(self, uid, place, expected, token=None, at=("the SDK", "the gateway", "the reader")):
        """Checks the verdict of each party on a token of a user."""
        token = token or self.token(place, uid)
        expected = user(place, uid) if expected == "accepted" else expected
        for party in at:
            if party == "the SDK":
                found = self.sdk_verdict(place, uid, token)
            else:
                found = (self.gateway if party == "the gateway" else self.reader).verdict(token, "/strict/x")
            require(found == expected, f"{uid} of {place} at {party} is {found} instead of {expected}")
            self.checks += 1

    def expect_all(self, uid, changed, verdict):
        """Checks all users of a uid: those of the places in `changed` have the verdict, the others are accepted."""
        for place in PLACES:
            self.expect(uid, place, verdict if place in changed else "accepted")

    def users(self, uid):
        """Creates a user with this uid at each place, by the SDK."""
        for place in PLACES:
            self.sdk[place].create_user(uid=uid)
        return uid

    # Changes

    def administer(self, place, uid, change):
        """Changes a user by the admin API of the gateway."""
        project, tenant = place
        path = f"/v1/projects/{project}" + (f"/tenants/{tenant}" if tenant else "") + f"/users/{uid}/{change}"
        status, document = self.gateway.admin(path)
        written = document.get("write_back", {}).get("identity_toolkit")
        require(status == 200 and written == "queued", f"{change} of {uid} of {place} is {status} {document}")

    def await_revocation(self, place, uid):
        """Waits until the platform has a revocation. Returns its time in seconds."""
        name = (*place, uid)
        begin = int(time.time()) - AGE // 2
        found = self.platform.await_account(name, lambda account: int(account.get("validSince", 0)) > begin)
        require(found, f"the revocation of {name} did not reach the platform")
        return int(self.platform.accounts[name]["validSince"])

    def await_disabled(self, place, uid, expected):
        name = (*place, uid)
        found = self.platform.await_account(name, lambda account: account.get("disabled") is expected)
        require(found, f"disabled: {expected} of {name} did not reach the platform")

    def say(self, sentence):
        print(f"holds: {sentence}", flush=True)


def identities(story):
    uid = story.users("ada")
    story.expect_all(uid, [], None)
    for place in PLACES:
        project, tenant = place
        token = story.token(place, uid)
        other = next(name for name in PROJECTS if name != project)
        found = story.sdk_verdict((other, tenant), uid, token)
        require(str(found).startswith("InvalidIdTokenError"), f"the SDK of {other} on a token of {place}: {found}")
        for another in TENANTS:
            # The client without a tenant looks up the project's own user with that uid.
            if another not in (None, tenant):
                found = story.sdk_verdict((project, another), uid, token)
                require(str(found).startswith("TenantIdMismatchError"), f"the SDK of {another} on {place}: {found}")
        foreign = story.token(("demo-west", tenant), uid)
        for gateway in (story.gateway, story.reader):
            found = gateway.verdict(foreign, "/strict/x")
            require(found == "auth/invalid-id-token", f"a token of another project: {found}")
    story.say("one uid is eight users: 2 projects, with 3 tenants each and without one")


def revoked_by_gateway(story):
    uid = story.users("grace")
    for index, place in enumerate(PLACES):
        story.administer(place, uid, "revoke")
        since = story.await_revocation(place, uid)
        story.expect_all(uid, PLACES[:index + 1], "revoked")
        story.expect(uid, place, "revoked", story.token(place, uid, since - 1))
        story.expect(uid, place, "accepted", story.token(place, uid, since))
    story.say("a revocation by the admin API raises RevokedIdTokenError for that user, and for none of the others")
    story.say("a sign-in in the second of the revocation is accepted, and one a second earlier is not")


def revoked_by_sdk(story):
    uid = story.users("linus")
    for place in PLACES:
        for gateway in (story.gateway, story.reader):
            found = gateway.verdict(story.token(place, uid), "/x")
            require(found == user(place, uid), f"{uid} of {place} before the revocation is {found}")
    for place in HALVES[0]:
        story.sdk[place].revoke_refresh_tokens(uid)
    story.expect_all(uid, HALVES[0], "revoked")
    for place in HALVES[1]:
        story.sdk[place].revoke_refresh_tokens(uid)
    # Before any lookup of a strict route, whose result would count here too.
    for place in HALVES[1]:
        for gateway in (story.gateway, story.reader):
            eventually(lambda: gateway.verdict(story.token(place, uid), "/x") == "revoked",
                       f"{uid} of {place} is not revoked after the cache time")
            story.checks += 1
    for place in PLACES:
        story.expect(uid, place, "revoked")
        story.expect(uid, place, "accepted", story.token(place, uid, story.await_revocation(place, uid)))
    story.say("revoke_refresh_tokens ends that user's tokens at the gateways: at once on strict routes, "
              "elsewhere within max_staleness")


def disabled_by_gateway(story):
    uid = story.users("ken")
    for half in HALVES:
        for place in half:
            story.administer(place, uid, "disable")
            story.await_disabled(place, uid, True)
        story.expect_all(uid, half, "disabled")
        # The stricter of the two results applies at the gateway that disabled the user.
        story.sdk[half[0]].update_user(uid, disabled=False)
        story.expect(uid, half[0], "accepted", at=["the SDK", "the reader"])
        story.expect(uid, half[0], "disabled", at=["the gateway"])
        for place in half:
            story.administer(place, uid, "enable")
            story.await_disabled(place, uid, False)
        story.expect_all(uid, [], None)
    story.say("disable and enable by the admin API reach the SDK, which raises UserDisabledError meanwhile")


def disabled_by_sdk(story):
    uid = story.users("barbara")
    for half in HALVES:
        for place in half:
            story.sdk[place].update_user(uid, disabled=True)
        story.expect_all(uid, half, "disabled")
        for place in half:
            story.sdk[place].update_user(uid, disabled=False)
        story.expect_all(uid, [], None)
    for place in HALVES[0]:
        story.sdk[place].delete_user(uid)
    story.expect_all(uid, HALVES[0], "revoked")
    story.say("update_user(disabled) and delete_user reach the gateways")


def signed_out(story):
    uid = story.users("alan")
    for half in HALVES:
        for place in half:
            gateway, token = story.gateway, story.token(place, uid)
            status, cookie = gateway.account_call("session", {"id_token": token})
            require(status == 200 and cookie.startswith("__session="), f"a session of {place}: {status}")
            found = received(gateway.exchange("GET", "/strict/x", {"Cookie": cookie})[2])
            require(found == user(place, uid), f"the session of {place} is of {found}")
            status, _ = gateway.account_call("sign-out", {"everywhere": True}, cookie)
            require(status == 204, f"the sign-out of {place} is {status}")
            story.await_revocation(place, uid)
            status = gateway.exchange("GET", "/strict/x", {"Cookie": cookie})[0]
            require(status == 401, f"the session of {place} after the sign-out is {status}")
            story.checks += 2
        story.expect_all(uid, half if half is HALVES[0] else PLACES, "revoked")
    story.say("a sign-out everywhere by the gateway's accounts ends the session, and the user's ID tokens at the SDK")


def main():
    folder, binary, *more = sys.argv[1:]
    # The exit ends the gateways.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended by SIGTERM"))
    os.environ["NO_PROXY"] = "127.0.0.1"
    os.environ.pop("FIREBASE_AUTH_EMULATOR_HOST", None)
    story = Story(folder, binary, more == ["--emulator"])
    for chapter in (identities, revoked_by_gateway, revoked_by_sdk, disabled_by_gateway, disabled_by_sdk, signed_out):
        # A session of accounts needs a sign-in within five minutes.
        story.signed_in_at = int(time.time()) - 100
        chapter(story)
    story.stop()
    print(f"{story.checks} verdicts of the SDK and of two gateways, {len(story.platform.lookups)} lookups")


if __name__ == "__main__":
    main()
