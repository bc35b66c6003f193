"""The rules for deploy/compose: the Compose file, and the files that it uses."""

import copy
import re

import compose_spec
import yaml

from manifests import MARGIN, mebibytes, memory_problems, port_of, seconds
from programs import REPOSITORY

FOLDER = REPOSITORY / "deploy/compose"
GATEWAYS = ("gateway-1", "gateway-2")
# The memory of a connection of the edge whose client does not read, in KiB: 64 of the client's send buffer, 64 of the
# receive buffer and the process, of which 45 were measured with HAProxy 2.6.
EDGE_CONNECTION = 128
# Files that may be in the clone, but not in an image or in the cache of its build.
IGNORED = ("deploy/compose/secrets", "deploy/compose/gateway/tls", "deploy/compose/backup", "deploy/compose/.env",
           "**/*.pem", "**/*.key", "**/*.db")
# Git has no empty folders, and Grafana starts without a dashboard.
DASHBOARDS = "../grafana/dashboards"
# The secrets that make-secrets creates.
SECRETS = {"admin-token", "redis-password", "redis-acl", "grafana-password"}


def interpolated(text):
    """Replaces `${NAME:-default}` and `${NAME:?message}` as Compose does, without variables."""
    return re.sub(r"\$\{(\w+):([-?])([^}]*)\}", lambda m: m[3] if m[2] == "-" else f"value-of-{m[1]}", text)


def load():
    """Returns the Compose file, and the texts of the other files."""
    text = interpolated((FOLDER / "compose.yaml").read_text())
    files = {
        "haproxy": (FOLDER / "haproxy/haproxy.cfg").read_text(),
        "gatehouse": (FOLDER / "gateway/gatehouse.yaml").read_text(),
        "prometheus": (REPOSITORY / "deploy/prometheus/prometheus.yaml").read_text(),
        "dockerignore": (REPOSITORY / ".dockerignore").read_text(),
    }
    return yaml.safe_load(text), files


def problems(compose, files):
    yield from format_problems(compose)
    for name, service in compose["services"].items():
        yield from service_problems(name, service)
    yield from gateway_problems(compose, yaml.safe_load(files["gatehouse"]))
    yield from edge_problems(compose, files)
    yield from redis_problems(compose["services"]["redis"])
    yield from secret_problems(compose)
    for pattern in sorted(set(IGNORED) - set(files["dockerignore"].splitlines())):
        yield f".dockerignore lacks {pattern}, so a build of the image copies it"


def format_problems(compose):
    """The format that the Compose specification defines. The parser rejects unknown keys."""
    # Compose ignores extensions; the parser does not read the merge keys of YAML, which are resolved here.
    plain = {key: value for key, value in copy.deepcopy(compose).items() if not key.startswith("x-")}
    try:
        compose_spec.PyCompose.from_yaml(yaml.safe_dump(plain))
    except ValueError as error:
        yield f"compose.yaml: {error}"


def service_problems(name, service):
    if not service.get("read_only"):
        yield f"{name} has a writable file system"
    if service.get("cap_drop") != ["ALL"] or service.get("cap_add"):
        yield f"{name} has capabilities"
    if "no-new-privileges:true" not in service.get("security_opt", []):
        yield f"{name} may gain privileges"
    for key in ("restart", "mem_limit"):
        if key not in service:
            yield f"{name} has no {key}"
    if service.get("privileged") or service.get("network_mode") == "host":
        yield f"{name} is privileged"
    if not re.fullmatch(r"[\w./-]+:v?[0-9]+\.[0-9]+\.[0-9]+", service["image"]):
        yield f"{name} has the image {service['image']}, which is not one version"
    for volume in service.get("volumes", []):
        source, target = volume.split(":")[:2]
        if source.startswith("."):
            if source != DASHBOARDS and not (FOLDER / source).exists():
                yield f"{name} mounts {source}, which does not exist"
            if not volume.endswith(":ro"):
                yield f"{name} can write to {source}"
    for port in service.get("ports", []):
        if name != "edge" and not port.startswith("127.0.0.1:"):
            yield f"{name} has a public port"


def gateway_problems(compose, configuration):
    drain = configuration["drain"]
    needed = seconds(drain["delay"]) + seconds(drain["timeout"]) + MARGIN
    network = {}
    for name in GATEWAYS:
        service = compose["services"][name]
        network[name] = service["networks"]["edge"]["ipv4_address"]
        yield from memory_problems(configuration, service.get("mem_limit"))
        if seconds(service["stop_grace_period"]) < needed:
            yield f"stop_grace_period of {name} is shorter than a stop, which may take {needed} s"
        if service["environment"]["ADMIN_ADDRESS"] != f"{network[name]}:9901":
            yield f"the admin listener of {name} is not on its address of the network edge"
        # The image has no other program. With the configuration in place of --admin, an invalid file would fail it.
        check = ["CMD", "/usr/bin/gatehouse", "healthcheck", "--admin", service["environment"]["ADMIN_ADDRESS"]]
        if service["healthcheck"]["test"] != check:
            yield f"the health check of {name} is not {check}"
        if service["build"]["context"] != "../.." or not (REPOSITORY / "Package.swift").exists():
            yield f"{name} is not built from the repository"
    if compose["services"][GATEWAYS[0]]["image"] != compose["services"][GATEWAYS[1]]["image"]:
        yield "the gateways have different images"
    server = configuration["upstreams"]["app"]["servers"][0]
    if server != "http://app:8080" or "8080" not in compose["services"]["app"]["command"]:
        yield f"the upstream {server} is not the sample service"
    if not compose["networks"]["store"].get("internal"):
        yield "the network of the store is not internal"


def edge_problems(compose, files):
    configuration = yaml.safe_load(files["gatehouse"])
    services = compose["services"]
    listener = configuration["listen"][0]
    if not listener.get("proxy_protocol"):
        yield "the gateways do not read the PROXY header of the edge"
    if configuration["trusted_proxies"] != [services["edge"]["networks"]["edge"]["ipv4_address"]]:
        yield "the gateways trust another address than the edge's"
    servers = dict(re.findall(r"^ +server (\S+) (\S+)$", files["haproxy"], re.MULTILINE))
    wanted = {
        name: f"{services[name]['networks']['edge']['ipv4_address']}:{port_of(listener['address'])}"
        for name in GATEWAYS}
    if servers != wanted:
        yield f"the edge has the servers {servers}, not {wanted}"
    bound = re.search(r"^ +bind :([0-9]+)$", files["haproxy"], re.MULTILINE)[1]
    if services["edge"]["ports"] != [f"8080:{bound}"]:
        yield f"the edge listens on {bound}, which is not its published port"
    for part in ("uri /readyz", "hdr Host localhost", "send-proxy-v2", "check port 9901", "expect status 200"):
        if part not in files["haproxy"]:
            yield f"the edge has no '{part}'"
    connections = int(re.search(r"^ +maxconn ([0-9]+)$", files["haproxy"], re.MULTILINE)[1])
    if connections != len(GATEWAYS) * configuration["limits"]["connections"]:
        yield f"the edge accepts {connections} connections, which is not the sum of the gateways"
    needed = 16 + connections * EDGE_CONNECTION / 1024
    if mebibytes(services["edge"]["mem_limit"]) < needed:
        yield f"the connections of the edge may need {needed:.0f} MiB, which is over its mem_limit"
    if len(re.findall(r"^ +tune\.(?:snd|rcv)buf\.(?:client|server) ", files["haproxy"], re.MULTILINE)) != 4:
        yield "the edge has no bound of its buffers in the kernel"
    check = re.search(r"inter ([0-9]+)s fall ([0-9]+)", files["haproxy"])
    if int(check[1]) * int(check[2]) >= seconds(configuration["drain"]["delay"]):
        yield "the edge notices a drain only after drain.delay"
    # The target of a name disappears with its container, and no alert about a missing gateway would fire.
    scrape = yaml.safe_load(files["prometheus"])["scrape_configs"][0].get("static_configs", [])
    targets = {entry["labels"]["instance"]: entry["targets"] for entry in scrape}
    if targets != {name: [services[name]["environment"]["ADMIN_ADDRESS"]] for name in GATEWAYS}:
        yield f"Prometheus scrapes {targets}, not each gateway by its address"


def redis_options(service):
    """Returns the options of redis-server, without the two dashes."""
    command = service["command"]
    assert command[0] == "redis-server" and len(command) % 2 == 1, command
    return {name.removeprefix("--"): value for name, value in zip(command[1::2], command[2::2])}


def redis_problems(service):
    options = redis_options(service)
    wanted = {"appendonly": "yes", "appendfsync": "always", "maxmemory-policy": "noeviction",
              "aclfile": "/run/secrets/redis-acl"}
    for name, value in wanted.items():
        if options.get(name) != value:
            yield f"Redis has {name} {options.get(name)}, not {value}"
    if "maxmemory" not in options:
        yield "Redis has no bound of its memory"
    if "redis:/data" not in service["volumes"]:
        yield "Redis has no volume"
    if service["healthcheck"]["test"] != ["CMD", "redis-cli", "-e", "ping"]:
        yield "the health check of Redis passes with an error"


def secret_problems(compose):
    declared = {name: value["file"] for name, value in compose["secrets"].items()}
    if declared != {name: f"./secrets/{name}" for name in SECRETS}:
        yield f"the secrets are {sorted(declared)}, not those of make-secrets"
    used = {name for service in compose["services"].values() for name in service.get("secrets", [])}
    if used != SECRETS:
        yield f"the services use the secrets {sorted(used)}"
    for name, service in compose["services"].items():
        for key, value in service.get("environment", {}).items():
            if re.search("PASSWORD|TOKEN|SECRET", key) and not value.startswith("/run/secrets/"):
                yield f"{name} has a secret in its environment: {key}"
