"""Gateways, upstreams and certificates on loopback, on free ports, for the benchmarks in this folder."""

import argparse
import datetime
import ipaddress
import os
import pathlib
import random
import signal
import socket
import sys

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent / "redis"))
from fleet import Fleet, cpu_seconds, family, get, revoke, stop, wait_for, write  # noqa: E402, F401

# The folder of nginx and HAProxy, which the PATH of an ordinary user may not contain.
os.environ["PATH"] += ":/usr/sbin"


def arguments(description, *more):
    """Parses the options of a script: `--gatehouse`, and further ones as (name, default, help)."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gatehouse", default=str(ROOT / ".build/release/gatehouse"), help="the binary to measure")
    for name, default, meaning in more:
        parser.add_argument(f"--{name}", type=type(default), default=default, help=meaning)
    return parser.parse_args()


def free_port():
    """Returns a free port below the range of ephemeral ports."""
    while True:
        port = random.randrange(20000, 30000)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
                return port
            except OSError:
                continue


def uid(index):
    """Returns the uid in the token with that index."""
    return f"bench-user-{index:016d}"


class Testbed(Fleet):
    """All processes of a benchmark. They end with the `with` block."""

    def __enter__(self):
        # After SIGTERM, the exit ends the `with` block and its processes.
        signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended by SIGTERM"))
        self.keys = free_port()
        self.nginx("keys", f"server {{ listen 127.0.0.1:{self.keys}; root {self.folder}; }}")
        self.await_port(self.keys)
        self.authority = Authority(self.folder)
        return self

    def nginx(self, name, servers):
        """Starts an nginx with one worker and no access log."""
        file = self.folder / f"{name}.conf"
        file.write_text(f"""
            daemon off; worker_processes 1; pid {self.folder}/{name}.pid; error_log {self.folder}/{name}.err;
            events {{ worker_connections 8192; }}
            worker_rlimit_nofile 16384;
            http {{
              access_log off; keepalive_requests 1000000000; keepalive_timeout 1h;
              large_client_header_buffers 4 32k; default_type text/plain;
              {servers}
            }}""")
        return self.start(name, ["nginx", "-c", file])

    def haproxy(self, name, sections, timeouts="timeout connect 5s\n timeout client 1m\n timeout server 1m"):
        """Starts a HAProxy with one thread. `timeouts` are the lines of `defaults`."""
        file = self.folder / f"{name}.cfg"
        file.write_text("global\n nbthread 1\n maxconn 4096\n tune.bufsize 32768\n"
                        f"defaults\n mode http\n {timeouts}\n{sections}\n")
        return self.start(name, ["haproxy", "-db", "-f", file])

    def upstream(self, kind, *more):
        """Starts a server of `upstreams.py` on a free port, in its own process."""
        port = free_port()
        process = self.start(f"{kind}-{port}", [sys.executable, HERE / "upstreams.py", kind, port, *more])
        self.await_port(port)
        process.port = port
        return process

    def await_port(self, port):
        def opens():
            socket.create_connection(("127.0.0.1", port), 1).close()
            return True

        wait_for(opens, f"port {port}; see {self.folder}")

    def gateway(self, sections, name="gateway", tls=None, ready=True):
        """Starts a gateway. `sections` overrides the common configuration. With `tls`, it listens with TLS."""
        port = free_port()
        listener = {"listen": [{"address": f"127.0.0.1:{port}", "tls": tls}]} if tls else {}
        return self.launch(name, port, free_port(), listener | sections, ready)


def metrics(gateway):
    """Returns all metrics of a gateway as {'name{labels}': value}."""
    lines = [line for line in get(gateway.admin, "/metrics")[1].splitlines() if line and not line.startswith("#")]
    return {name: float(value) for name, _, value in (line.rpartition(" ") for line in lines)}


class Authority:
    """A certificate authority that issues ECDSA certificates for 127.0.0.1 and localhost."""

    def __init__(self, folder):
        self.folder, self.key = folder, ec.generate_private_key(ec.SECP256R1())
        self.name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Benchmark CA")])
        builder = self.builder(self.name, self.key).add_extension(x509.BasicConstraints(True, None), True)
        usage = x509.KeyUsage(False, False, False, False, False, True, True, False, False)
        self.certificate = builder.add_extension(usage, True).sign(self.key, hashes.SHA256())
        self.file = folder / "authority.pem"
        self.file.write_bytes(self.certificate.public_bytes(serialization.Encoding.PEM))

    def builder(self, subject, key):
        now = datetime.datetime.now(datetime.timezone.utc)
        return (x509.CertificateBuilder().subject_name(subject).issuer_name(self.name).public_key(key.public_key())
                .serial_number(x509.random_serial_number()).not_valid_before(now - datetime.timedelta(days=1))
                .not_valid_after(now + datetime.timedelta(days=30)))

    def issue(self, name):
        """Replaces NAME.pem, NAME.key, and NAME.both (certificate and key), each atomically. Returns the serial number
        of the certificate."""
        key = ec.generate_private_key(ec.SECP256R1())
        names = [x509.IPAddress(ipaddress.ip_address("127.0.0.1")), x509.DNSName("localhost")]
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
        builder = self.builder(subject, key).add_extension(x509.SubjectAlternativeName(names), False)
        certificate = builder.sign(self.key, hashes.SHA256())
        form = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        texts = certificate.public_bytes(serialization.Encoding.PEM), key.private_bytes(*form)
        for suffix, text in ((".pem", texts[0]), (".key", texts[1]), (".both", b"".join(texts))):
            new = self.folder / f"{name}{suffix}.new"
            new.write_bytes(text)
            new.replace(self.folder / f"{name}{suffix}")
        return certificate.serial_number

    def files(self, name):
        return {"certificate": str(self.folder / f"{name}.pem"), "private_key": str(self.folder / f"{name}.key")}


def quantile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))] if ordered else float("nan")


class Claims:
    """The claims of a script, printed as sentences. A false claim fails the script."""

    def __init__(self):
        self.failed = 0

    def hold(self, holds, sentence):
        print(("holds:  " if holds else "FAILED: ") + sentence)
        self.failed += not holds

    def end(self):
        sys.stdout.flush()
        sys.exit(1 if self.failed else 0)
