"""The Helm chart: its values, and the objects that Helm renders from them."""

import json
import re

import jsonschema
import yaml

from manifests import Deployed, parse
from programs import REPOSITORY, run

CHART = REPOSITORY / "deploy/helm/gatehouse"
MANUAL = REPOSITORY / "docs/start/deploy/helm.md"
# A block of the manual that begins with this comment has values of the chart.
MARK = "<!-- A test renders the chart with these values. -->"

# Values that must not render, with a part of the reason. The other values are those of ci/text.yaml.
REJECTED = [
    ("unknown: 1", "unknown"),
    ("image: { repository: '' }", "repository"),
    ("image: { tag: 'a b' }", "tag"),
    ("replicas: 0", "replicas"),
    ("listener: { port: 80 }", "port"),
    ("listener: { port: '8080' }", "port"),
    ("drain: { delaySeconds: -1 }", "delaySeconds"),
    ("drain: { timeoutSeconds: 30s }", "timeoutSeconds"),
    ("service: { type: ExternalName }", "type"),
    ("podLabels: { app.kubernetes.io/name: other }", "app.kubernetes.io/name"),
    ("autoscaling: { minReplicas: 5, maxReplicas: 3 }", "autoscaling.minReplicas is greater"),
    ("config: null", "config is required"),
    ("config: ''", "config is required"),
    ("config: 'identity: {}'", "config.upstreams is required"),
    ("config: { identity: { firebase: { project: a } } }", "config must not have|config.* is required"),
    ("config: 'listen: []'", 'config must not have the section "listen"'),
    ("config: |\n  admin: null\n  store: a", 'config must not have the section "admin"'),
    ("config: |\n  'drain' : {}\n  store: a", 'config must not have the section "drain"'),
    ("config: |\n  identity: a\n  upstreams: a\n  routes: a\n  store: sqlite:a.db", "SQLite belongs to one gateway"),
    ("config: |\n  identity: a\n  upstreams: a\n  routes: a\n  store:\n    url: 'sqlite::memory:'",
     "SQLite belongs to one gateway"),
    ("secret: { existing: other }", "exclude each other"),
    ("secret: { values: null }", "admin.tokenFile needs"),
    ("secret: { values: { admin-token: '' } }", "secret.values.admin-token is empty"),
    ("files: { ../a: text }", r"\.\./a|files"),
    ("files: { gatehouse.yaml: text }", "files must not have gatehouse.yaml"),
]


def cases():
    """The texts of values by name: those of ci/, and those of the manual."""
    found = {file.stem: file.read_text() for file in sorted((CHART / "ci").glob("*.yaml"))}
    manual = MANUAL.read_text() if MANUAL.exists() else ""
    blocks = re.findall(rf"{re.escape(MARK)}\n+```yaml\n(.*?)```", manual, re.DOTALL)
    found.update({f"manual-{number}": block for number, block in enumerate(blocks, 1)})
    return found


def render(helm, folder, *values):
    files = []
    for number, text in enumerate(values):
        file = folder / f"values-{number}.yaml"
        file.write_text(text)
        files += ["--values", file]
    return run(helm, "template", "shop", CHART, "--namespace", "edge", *files)


def rendered(helm, folder):
    """The objects of each case."""
    for name, text in cases().items():
        code, output = render(helm, folder, text)
        assert code == 0, f"{helm}: {name}: {output}"
        yield name, Deployed(parse(output))


def lint_problems(helm, folder):
    for name, text in cases().items():
        file = folder / "values.yaml"
        file.write_text(text)
        code, output = run(helm, "lint", "--strict", CHART, "--values", file)
        if code != 0 or "WARNING" in output:
            yield f"helm lint with {name}: {output}"


def rejection_problems(helm, folder):
    base = (CHART / "ci/text.yaml").read_text()
    for values, reason in REJECTED:
        code, output = render(helm, folder, base, values)
        if code == 0:
            yield f"these values render: {values}"
        elif not re.search(reason, output):
            yield f"these values are rejected without '{reason}': {values}: {output[-400:]}"


def note_problems(helm, folder):
    """The notes that an installation prints. Helm 3 needs a cluster for that."""
    if "v4" not in run(helm, "version", "--short")[1]:
        return
    for name, text in cases().items():
        file = folder / "values.yaml"
        file.write_text(text)
        code, output = run(helm, "install", "shop", CHART, "--namespace", "edge", "--dry-run=client", "--values", file)
        notes = output.partition("NOTES:")[2]
        if code != 0 or "rollout status deployment/shop-" not in notes or "<no value>" in notes:
            yield f"the notes with {name}: {output[-400:]}"


def value_problems():
    """Each value has a type in the schema, and each one of the schema has a default."""
    schema = json.loads((CHART / "values.schema.json").read_text())
    jsonschema.Draft7Validator.check_schema(schema)
    values = yaml.safe_load((CHART / "values.yaml").read_text())
    for error in jsonschema.Draft7Validator(schema).iter_errors(values):
        yield f"values.yaml: {error.message}"
    optional = {"global", "claims"}
    pairs = [("", schema, values)]
    while pairs:
        path, schema, values = pairs.pop()
        typed = {name for name in schema.get("properties", {}) if name not in optional}
        if schema.get("additionalProperties") is not False:
            continue
        if typed != values.keys():
            yield f"values.yaml and its schema differ below '{path}': {sorted(typed ^ values.keys())}"
            continue
        pairs += [(f"{path}.{name}", schema["properties"][name], values[name]) for name in typed
                  if isinstance(values[name], dict)]
    chart = yaml.safe_load((CHART / "Chart.yaml").read_text())
    version = re.search(r'let current = "(.*)"', (
        REPOSITORY / "Sources/Application/Gatehouse/Gateway/GatehouseVersion.swift").read_text())[1]
    images = re.findall(r"gatehouse:([0-9.]+)", "".join(
        (REPOSITORY / "deploy" / file).read_text() for file in ("compose/compose.yaml",
                                                                "kubernetes/base/deployment.yaml")))
    for found in {chart["version"], chart["appVersion"], *images} - {version}:
        yield f"deploy/ names the version {found}; the gateway is {version}"
