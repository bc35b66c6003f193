"""A transmitter of security events (OpenID Shared Signals Framework 1.0), by push (RFC 8935) and poll (RFC 8936).

Usage: ssf_transmitter.py FOLDER. The port is written to FOLDER/port. Tests control it by POST /emit and GET /state.
"""

import base64
import json
import os
import sys
import threading
import time
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa

ISSUER = "https://ssf.corp.example"
AUDIENCE = "https://gateway.example"
POLL_AUTHORIZATION = "Bearer poll-token"
MANAGEMENT_AUTHORIZATION = "Bearer management-token"
# The time for which a poll is held without an event, in seconds.
HOLD = 5


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class Transmitter:
    def __init__(self):
        self.key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        self.condition = threading.Condition()
        self.pending = {}
        self.acknowledged = []
        self.errors = {}
        self.polls = 0
        self.streams = []
        self.concurrent = 0
        self.most_concurrent = 0

    def key_set(self):
        numbers = self.key.public_key().public_numbers()
        size = (numbers.n.bit_length() + 7) // 8
        key = {
            "kty": "RSA", "kid": "ssf-1", "alg": "RS256", "use": "sig",
            "n": base64url(numbers.n.to_bytes(size, "big")), "e": base64url(numbers.e.to_bytes(3, "big")),
        }
        return {"keys": [key]}

    def sign(self, event):
        """Returns the security event token of an event (RFC 8417)."""
        claims = {
            "iss": ISSUER, "aud": AUDIENCE, "iat": int(time.time()), "jti": event["jti"],
            "sub_id": event["subject"], "events": {event["type"]: event.get("members", {})},
        }
        header = {"alg": "RS256", "kid": "ssf-1", "typ": "secevent+jwt"}
        parts = [base64url(json.dumps(part).encode()) for part in (header, claims)]
        signature = self.key.sign(".".join(parts).encode(), padding.PKCS1v15(), hashes.SHA256())
        return ".".join(parts + [base64url(signature)])

    def push(self, event):
        """Pushes an event, and returns the status and the body of the response."""
        request = urllib.request.Request(
            event["push"], self.sign(event).encode(), method="POST",
            headers={
                "Content-Type": "application/secevent+jwt", "Accept": "application/json",
                "Authorization": event["authorization"],
            })
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                return {"status": response.status, "body": response.read().decode()}
        except urllib.error.HTTPError as error:
            return {"status": error.code, "body": error.read().decode()}

    def queue(self, event):
        with self.condition:
            self.pending[event["jti"]] = self.sign(event)
            self.condition.notify_all()
        return {"status": 0}

    def poll(self, request):
        """Handles a poll. It is held while there is no event."""
        with self.condition:
            self.polls += 1
            self.concurrent += 1
            self.most_concurrent = max(self.most_concurrent, self.concurrent)
            for jti in request.get("ack", []):
                if self.pending.pop(jti, None) is not None:
                    self.acknowledged.append(jti)
            for jti, error in request.get("setErrs", {}).items():
                if self.pending.pop(jti, None) is not None:
                    self.errors[jti] = error
            if not request.get("returnImmediately", False):
                self.condition.wait_for(lambda: self.pending, timeout=HOLD)
            self.concurrent -= 1
            names = list(self.pending)[: request.get("maxEvents", 100)]
            sets = {name: self.pending[name] for name in names}
            return {"sets": sets, "moreAvailable": len(names) < len(self.pending)}

    def metadata(self, port):
        base = f"http://127.0.0.1:{port}"
        return {
            "spec_version": "1_0", "issuer": ISSUER, "jwks_uri": f"{base}/keys",
            "configuration_endpoint": f"{base}/stream", "status_endpoint": f"{base}/status",
            "verification_endpoint": f"{base}/verify",
        }

    def create_stream(self, request, port):
        delivery = dict(request["delivery"])
        if delivery["method"] == "urn:ietf:rfc:8936":
            delivery["endpoint_url"] = f"http://127.0.0.1:{port}/poll"
        stream = {
            "stream_id": "stream-1", "iss": ISSUER, "aud": AUDIENCE, "delivery": delivery,
            "events_requested": request["events_requested"], "events_delivered": request["events_requested"],
        }
        self.streams.append(stream)
        return stream

    def verify(self, request):
        """Offers a verification event with the requested state."""
        return self.queue({
            "jti": "verification " + request["state"],
            "type": "https://schemas.openid.net/secevent/ssf/event-type/verification",
            "members": {"state": request["state"]}, "subject": {"format": "opaque", "id": request["stream_id"]},
        })

    def state(self):
        with self.condition:
            return {
                "acknowledged": self.acknowledged, "errors": self.errors, "pending": list(self.pending),
                "polls": self.polls, "most_concurrent": self.most_concurrent,
            }


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    transmitter = None

    def do_GET(self):
        if self.path == "/keys":
            self.answer(200, self.transmitter.key_set())
        elif self.path == "/state":
            self.answer(200, self.transmitter.state())
        elif self.path == "/metadata":
            self.answer(200, self.transmitter.metadata(self.server.server_port))
        elif self.is_manager() and self.path == "/stream":
            self.answer(200, self.transmitter.streams)
        elif self.is_manager() and self.path == "/status?stream_id=stream-1":
            self.answer(200, {"stream_id": "stream-1", "status": "enabled"})
        else:
            self.answer(404, {})

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or b"{}")
        if self.path == "/emit":
            deliver = self.transmitter.push if "push" in body else self.transmitter.queue
            self.answer(200, deliver(body))
        elif self.path == "/poll":
            if self.headers.get("Authorization") != POLL_AUTHORIZATION:
                return self.answer(401, {})
            self.answer(200, self.transmitter.poll(body))
        elif self.is_manager() and self.path == "/stream":
            if self.transmitter.streams:
                return self.answer(409, {})
            self.answer(201, self.transmitter.create_stream(body, self.server.server_port))
        elif self.is_manager() and self.path == "/verify":
            self.transmitter.verify(body)
            self.send_response(204)
            self.end_headers()
        else:
            self.answer(404, {})

    def is_manager(self):
        return self.headers.get("Authorization") == MANAGEMENT_AUTHORIZATION

    def answer(self, status, document):
        body = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


def main():
    folder = sys.argv[1]
    Handler.transmitter = Transmitter()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    port = os.path.join(folder, "port")
    with open(port + ".new", "w") as file:
        file.write(str(server.server_port))
    os.rename(port + ".new", port)
    server.serve_forever()


main()
