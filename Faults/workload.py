"""The clients: lives of users, of accounts, and races for items that have one winner. They record every operation.

An operation that ends a credential has `ends` and `means`, one that undoes such an operation `restores`. An operation
on an item with one winner has `item`. The checker knows nothing else of the clients."""

import asyncio
import functools
import hashlib
import itertools
import time

from client import exchange
from cluster import ADMIN, ADMIN_TOKEN, PORT
from tokens import CORP, GOOGLE, now

ROUTES = ("replicated", "strict")
RENAMING = ("link", "unlink")


class Credential:
    """An ID token, or the cookie of a session."""

    def __init__(self, name, field, user, identity=None):
        self.name, self.field, self.user, self.identity = name, field, user, identity


class Workload:
    def __init__(self, cluster, history, random):
        self.cluster, self.history, self.random = cluster, history, random
        self.numbers = itertools.count(1)
        self.ended, self.restored = [], []
        self.is_over = False

    def gateway(self):
        return self.random.choice(sorted(self.cluster.gateways))

    def two_gateways(self):
        names = sorted(self.cluster.gateways)
        return self.random.sample(names, 2) if len(names) > 1 else names * 2

    async def send(self, op, gateway, port, method, path, fields=(), body=None, **details):
        """Sends a request, records it with its response, and returns the response."""
        invoke = time.monotonic()
        response = await exchange(self.cluster.network.nodes[gateway], port, method, path, fields, body)
        self.history.record(
            "op", op=op, gateway=gateway, invoke=invoke, complete=time.monotonic(), status=response.status,
            code=response.code, error=response.error, **details)
        response.invoke = invoke
        return response

    async def admin(self, op, gateway, path, **details):
        fields = [f"Authorization: Bearer {ADMIN_TOKEN}"]
        return await self.send(op, gateway, ADMIN, "POST", path, fields, **details)

    async def call(self, op, gateway, name, body, credential=None, **details):
        """Makes an account call. Some calls end the cookie of the session that makes them, and set another."""
        fields = [credential.field] if credential else []
        if credential and name in RENAMING:
            details["renames"] = credential.name
        return await self.send(op, gateway, PORT, "POST", f"/.gatehouse/{name}", fields, body, **details)

    async def probe(self, credential, gateway=None, route=None, phase=None):
        """Presents a credential to a gateway."""
        route = route or self.random.choice(ROUTES)
        details = {"phase": phase} if phase else {}
        return await self.send("pass", gateway or self.gateway(), PORT, "GET", f"/{route}/x", [credential.field],
                               route=route, credential=credential.name, **details)

    async def until_acknowledged(self, attempt, tries=60):
        """Repeats an operation until its response is 2xx. Returns the response, or `None`."""
        for _ in range(tries):
            response = await attempt()
            if response.status is not None and response.status < 300:
                return response
            if self.is_over:
                break
            await asyncio.sleep(self.random.uniform(0.1, 0.8))
        return None

    async def probes(self, credentials, seconds, pause=0.3):
        end = time.monotonic() + seconds
        while time.monotonic() < end and not self.is_over:
            await asyncio.gather(*(self.probe(credential) for credential in credentials))
            await asyncio.sleep(self.random.uniform(0.3, 1) * pause)

    def token(self, uid, age=1000):
        """Creates an ID token of Firebase from a sign-in some time ago."""
        auth_time = now() - age
        text = self.cluster.mint.id_token(uid, auth_time)
        credential = Credential(f"t{next(self.numbers)}", f"Authorization: Bearer {text}", uid)
        credential.auth_time = auth_time
        at = time.monotonic()
        self.history.record("credential", name=credential.name, user=uid, identity=None, invoke=at, complete=at)
        return credential

    async def proof(self, gateway, provider, subject):
        """Returns the members of an account call that present a sign-in at a provider, or `None`."""
        response = await self.call("nonce", gateway, "nonce", {})
        nonce = response.json if response.status == 200 else None
        if not nonce:
            return None
        token = self.cluster.mint.provider_token(provider, subject, nonce["nonce_sha256"], now())
        return {"provider": provider, "nonce": nonce["nonce"], "id_token": token}

    def session(self, response, identity):
        """Records the session that a sign-in began, and returns its credential."""
        found = response.json
        return self.cookie(response, found["uid"], identity) if response.status == 200 and found else None

    def cookie(self, response, user, identity):
        """Records the session cookie of a response, and returns it. `None` if there is none."""
        if not response.cookie:
            return None
        credential = Credential(f"s{next(self.numbers)}", f"Cookie: __session={response.cookie}", user, identity)
        self.history.record("credential", name=credential.name, user=user, identity=identity,
                            invoke=response.invoke, complete=time.monotonic())
        return credential

    def renamed(self, response, session):
        """Returns the session with the cookie that a response set, or as it was."""
        return self.cookie(response, session.user, session.identity) or session

    async def sign_in(self, provider, subject, tries=40):
        """Signs in until it succeeds. Returns the session, or `None`."""
        for _ in range(tries):
            gateway = self.gateway()
            proof = await self.proof(gateway, provider, subject)
            if proof:
                response = await self.call("sign-in", self.gateway(), "sign-in", proof, item=f"nonce {proof['nonce']}")
                session = self.session(response, f"{provider}:{subject}")
                if session:
                    return session
            if self.is_over:
                break
            await asyncio.sleep(self.random.uniform(0.2, 1))
        return None

    # Lives

    async def user_life(self):
        """A user whose tokens pass, are revoked, and never pass again; or who is disabled, enabled, and disabled."""
        uid = f"u{next(self.numbers)}"
        token = self.token(uid)
        await self.probes([token], self.random.uniform(0, 2))
        kind = self.random.choice(["revoke", "revoke", "disable", "session", "toggle"])
        if kind == "toggle":
            if not await self.end_user(uid, "disable"):
                return
            await self.probes([token], self.random.uniform(0, 4))
            if not await self.until_acknowledged(lambda: self.admin(
                    "enable", self.gateway(), f"/v1/users/{uid}/enable", restores={"user": uid}, undoes="disable")):
                return
            await self.probes([token], self.random.uniform(0, 4))
            if self.random.random() < 0.5:
                self.restored.append(token)
                return
            kind = "disable"
        if kind == "session":
            path = f"/v1/users/{uid}/sessions/{token.auth_time}/revoke"
            done = await self.until_acknowledged(lambda: self.admin(
                "revoke session", self.gateway(), path, ends={"credential": token.name}, means="session"))
        else:
            done = await self.end_user(uid, kind)
        await self.after(done, [token])

    async def end_user(self, uid, kind):
        return await self.until_acknowledged(lambda: self.admin(
            kind, self.gateway(), f"/v1/users/{uid}/{kind}", ends={"user": uid}, means=kind))

    async def after(self, done, credentials):
        """Presents credentials after the operation that ended them, or may have."""
        if not done:
            return
        await self.probes(credentials, self.cluster.options.staleness + self.random.uniform(0, 6))
        self.ended += credentials

    async def account_life(self):
        """An account with two identities, whose sessions end in one of several ways."""
        number = next(self.numbers)
        main, other = f"m{number}", f"o{number}"
        first = await self.sign_in(GOOGLE, main)
        session = await self.link(first, CORP, other) if first else None
        if not session:
            return
        second = await self.sign_in(CORP, other)
        if not second:
            return
        await self.probes([session, second], self.random.uniform(0, 2))
        self.ended.append(first)
        identity = f"{CORP}:{other}"
        ends = self.random.choice(
            ["unlink", "unlink", "sign out", "everywhere", "identity", "revoke", "disable", "delete"])
        if ends == "unlink":
            await self.unlink(session, second, other)
        elif ends == "sign out":
            done = await self.until_gone(lambda: self.call(
                "sign out", self.gateway(), "sign-out", {}, second, ends={"credential": second.name}, means="sign out"))
            await self.after(done, [second])
        elif ends == "everywhere":
            done = await self.until_gone(lambda: self.call(
                "everywhere", self.gateway(), "sign-out", {"everywhere": True}, session,
                ends={"user": session.user}, means="everywhere"))
            await self.after(done, [session, second])
        elif ends == "identity":
            path = f"/v1/users/{CORP}%3A{other}/revoke"
            done = await self.until_acknowledged(lambda: self.admin(
                "revoke identity", self.gateway(), path, ends={"identity": identity}, means="identity"))
            await self.after(done, [second])
        elif ends in ("revoke", "disable"):
            await self.after(await self.end_user(session.user, ends), [session, second])
        else:
            done = await self.until_acknowledged(lambda: self.admin(
                "delete", self.gateway(), f"/v1/accounts/{session.user}/delete", ends={"user": session.user},
                means="delete"))
            await self.after(done, [session, second])

    async def until_gone(self, attempt, tries=40):
        """Repeats a call until it succeeds. A denial of a repetition is not an acknowledgement."""
        for _ in range(tries):
            response = await attempt()
            if response.status in (200, 204):
                return response
            if response.status == 401 or self.is_over:
                return None
            await asyncio.sleep(self.random.uniform(0.1, 0.8))
        return None

    async def link(self, session, provider, subject, tries=30):
        """Links an identity. Returns the session with its next cookie, or `None`."""
        for _ in range(tries):
            proof = await self.proof(self.gateway(), provider, subject)
            if proof:
                response = await self.call("link", self.gateway(), "link", proof, session,
                                           item=f"nonce {proof['nonce']}")
                session = self.renamed(response, session)
                if response.status == 200:
                    return session
                if response.status in (401, 403, 409):
                    return None
            if self.is_over:
                return None
            await asyncio.sleep(self.random.uniform(0.2, 1))
        return None

    async def unlink(self, session, second, other):
        """Unlinks an identity while it signs in, and presents all its sessions afterwards."""
        identity = f"{CORP}:{other}"

        async def sign_in_meanwhile():
            await asyncio.sleep(self.random.uniform(0, 0.05))
            return await self.sign_in(CORP, other, tries=2)

        racing = asyncio.ensure_future(sign_in_meanwhile())
        done = await self.until_gone(lambda: self.call(
            "unlink", self.gateway(), "unlink", {"provider": CORP}, session,
            ends={"identity": identity, "user": session.user}, means="unlink"))
        third = await racing
        if done:
            renamed, former = self.renamed(done, session), session
            await asyncio.gather(self.probes([renamed], 2), self.after(done, [former] + [
                item for item in (second, third) if item and item.user == session.user]))

    async def race_life(self):
        """Conflicting calls at two gateways, of which at most one may succeed."""
        number = next(self.numbers)
        kind = self.random.choice(["nonce", "credential", "link", "pending"])
        await getattr(self, f"race_{kind}")(number)

    async def race(self, op, name, bodies, item, credentials=(None, None)):
        """Sends two calls at almost the same time, and sometimes both again."""
        gateways = self.two_gateways()
        calls = list(zip(gateways, bodies, credentials))
        responses = await asyncio.gather(*(
            self.call(op, gateway, name, body, credential, item=item) for gateway, body, credential in calls))
        if self.random.random() < 0.5:
            await asyncio.sleep(self.random.uniform(0, 4))
            for gateway, body, credential in calls:
                responses.append(await self.call(op, gateway, name, body, credential, item=item))
        return responses

    async def race_nonce(self, number):
        """Two sign-ins with different tokens and one nonce."""
        first = await self.proof(self.gateway(), GOOGLE, f"n{number}")
        if not first:
            return
        nonce_hash = hashlib.sha256(first["nonce"].encode()).hexdigest()
        second = dict(first, id_token=self.cluster.mint.provider_token(GOOGLE, f"n{number}b", nonce_hash, now()))
        await self.race("sign-in", "sign-in", [first, second], f"nonce {first['nonce']}")

    async def race_credential(self, number):
        """Two sign-ins with the same token."""
        proof = await self.proof(self.gateway(), GOOGLE, f"c{number}")
        if proof:
            await self.race("sign-in", "sign-in", [proof, proof], f"nonce {proof['nonce']}")

    async def race_link(self, number):
        """Two accounts link one identity."""
        sessions = [await self.sign_in(GOOGLE, f"l{number}{side}") for side in "ab"]
        proofs = [await self.proof(self.gateway(), CORP, f"l{number}") for _ in sessions]
        if all(sessions) and all(proofs):
            await self.race("link", "link", proofs, f"link {CORP}:l{number}", sessions)

    async def race_pending(self, number):
        """Two sign-ins with one pending token, which a rejected link returned."""
        owner = await self.sign_in(CORP, f"p{number}")
        session = await self.sign_in(GOOGLE, f"p{number}")
        proof = await self.proof(self.gateway(), CORP, f"p{number}")
        if not (owner and session and proof):
            return
        response = await self.call("link", self.gateway(), "link", proof, session, item=f"nonce {proof['nonce']}")
        if response.status == 409 and response.json and response.json.get("pending_token"):
            body = {"pending_token": response.json["pending_token"]}
            await self.race("sign-in", "sign-in", [body, body], f"pending {number}")

    async def anchor_life(self, gateway, route):
        """A user whose token always passes, if the gateway is able to decide."""
        token = self.token(f"anchor{next(self.numbers)}")
        for _ in range(20):
            await self.probe(token, gateway, route)
            await asyncio.sleep(self.random.uniform(0.3, 0.6))

    async def recheck(self):
        """Presents credentials that ended earlier, and one that was enabled again."""
        chosen = self.ended[-400:] or self.restored
        if chosen:
            await self.probe(self.random.choice(chosen))
        await asyncio.sleep(self.random.uniform(0.1, 0.5))

    # Runs

    async def run(self, seconds):
        """Runs lives until the time has passed. Each kind has as many at a time as the option `load` states."""
        end = time.monotonic() + seconds
        load = self.cluster.options.load

        async def repeat(life):
            while time.monotonic() < end:
                await life()
                await asyncio.sleep(self.random.uniform(0.05, 0.5))

        lives = [self.user_life] * (3 * load) + [self.account_life] * (2 * load) + [self.race_life] * load
        lives.append(self.recheck)
        lives += [functools.partial(self.anchor_life, gateway, route)
                  for gateway in self.cluster.gateways for route in ROUTES]
        await asyncio.gather(*(repeat(life) for life in lives))
