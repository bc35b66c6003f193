"""Checks the files of deploy/. script/deploy-test installs the packages and starts it."""

import argparse
import json
import re
import shutil
import sys
import tempfile
import time
from pathlib import Path

import yaml

import chart
import compose
import configurations
import redis_store
import rollout
import self_test
from manifests import Deployed, parse
from programs import REPOSITORY, find, run

DEPLOY = REPOSITORY / "deploy"
ALERTS = DEPLOY / "prometheus/alerts.yaml"
CHART_ALERTS = chart.CHART / "files/alerts.yaml"
RULE = DEPLOY / "kubernetes/components/monitoring/prometheusrule.yaml"
RULE_HEAD = """# The alerts of deploy/prometheus/alerts.yaml. `script/deploy-test --update` writes this file.
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: gatehouse
  labels: { app.kubernetes.io/name: gatehouse }
spec:
"""


class Report:
    """The results, each printed as it comes."""

    def __init__(self):
        self.passed, self.failed, self.missing = 0, 0, []

    def check(self, name, problems):
        problems = list(problems)
        for problem in problems:
            print(f"FAILED {name}: {problem}", flush=True)
        self.failed += bool(problems)
        self.passed += not problems

    def needs(self, program, reason):
        """Whether the program is installed."""
        if shutil.which(program):
            return True
        self.missing.append(f"{program} is not installed, so {reason}")
        return False


def rule_text():
    """The PrometheusRule with the alerts: they are indented, and otherwise unchanged."""
    lines = ALERTS.read_text().splitlines()
    return RULE_HEAD + "".join(f"  {line}".rstrip() + "\n" for line in lines)


def update():
    CHART_ALERTS.write_text(ALERTS.read_text())
    RULE.write_text(rule_text())


def copy_problems():
    if CHART_ALERTS.read_text() != ALERTS.read_text() or RULE.read_text() != rule_text():
        yield "the copies of deploy/prometheus/alerts.yaml are old; run script/deploy-test --update"
    if parse(RULE.read_text())[0]["spec"] != yaml.safe_load(ALERTS.read_text()):
        yield f"{RULE.name} does not have the groups of alerts.yaml"


def grafana_problems():
    """The provisioning of Grafana, and the data sources of its dashboards."""
    sources = yaml.safe_load((DEPLOY / "grafana/provisioning/datasources/prometheus.yaml").read_text())["datasources"]
    providers = yaml.safe_load((DEPLOY / "grafana/provisioning/dashboards/gatehouse.yaml").read_text())["providers"]
    volumes = compose.load()[0]["services"]["grafana"]["volumes"]
    mounted = {volume.split(":")[1]: volume.split(":")[0] for volume in volumes}
    if mounted.get(providers[0]["options"]["path"]) != compose.DASHBOARDS:
        yield "the provider of the dashboards reads another folder than the mounted one"
    known = {source["uid"] for source in sources}
    for file in (DEPLOY / "grafana/dashboards").glob("*.json"):
        dashboard = json.loads(file.read_text())
        variables = {item["name"] for item in dashboard.get("templating", {}).get("list", [])}
        for uid in set(re.findall(r'"uid": *"([^"]+)"', file.read_text())) - {dashboard.get("uid"), "-- Grafana --"}:
            named = re.fullmatch(r"\$\{?(\w+)\}?", uid)
            if not (named[1] in variables if named else uid in known or uid.startswith("-- ")):
                yield f"{file.name} uses the data source {uid}, which is not provisioned"


def manual_problems():
    """Each file of deploy/ that a page names exists."""
    pages = [*(REPOSITORY / "docs").rglob("*.md"), REPOSITORY / "README.md"]
    for page in pages:
        folders = "compose|emulator|helm|kubernetes|prometheus|grafana"
        for name in re.findall(rf"\bdeploy/(?:{folders})/[\w./-]*\w", page.read_text()):
            if not (REPOSITORY / name).exists() and not re.search(r"/(secrets|\.env|backup|tls)\b", name):
                yield f"{page.relative_to(REPOSITORY)} names {name}, which does not exist"


def check_kubernetes(report, folder, binary):
    for kubectl in find("kubectl")[-1:]:
        for name in ("base", "overlays/example"):
            code, output = run(kubectl, "kustomize", DEPLOY / "kubernetes" / name)
            assert code == 0, output
            check_deployed(report, f"kubernetes/{name}", Deployed(parse(output)), folder, binary)
    secret = Deployed(parse((DEPLOY / "kubernetes/base/deployment.yaml").read_text()))
    example = parse((DEPLOY / "kubernetes/base/secret.example.yaml").read_text())
    name = next(v for v in secret.pod["volumes"] if v["name"] == "secrets")["secret"]["secretName"]
    report.check("the example of the Secret", (
        problem for problem, wrong in {
            "its name differs": example[0]["metadata"]["name"] != name,
            "it has a value": any(example[0]["stringData"].values()),
        }.items() if wrong))


def check_deployed(report, name, deployed, folder, binary):
    report.check(name, deployed.problems())
    report.check(f"the configuration of {name}",
                 configurations.problems(deployed.files, deployed.environment, folder, binary))


def check_chart(report, folder, binary):
    report.check("the values of the chart", chart.value_problems())
    for helm in find("helm"):
        version = run(helm, "version", "--short")[1].strip()
        report.check(f"helm lint, {version}", chart.lint_problems(helm, folder.path))
        report.check(f"rejected values, {version}", chart.rejection_problems(helm, folder.path))
        report.check(f"notes, {version}", chart.note_problems(helm, folder.path))
        for name, deployed in chart.rendered(helm, folder.path):
            check_deployed(report, f"the chart with {name}, {version}", deployed, folder, binary)


def check_compose(report, folder, binary):
    parsed, files = compose.load()
    report.check("compose", compose.problems(parsed, files))
    environment = parsed["services"]["gateway-1"]["environment"]
    report.check("the configuration of compose", configurations.problems(
        {"gatehouse.yaml": files["gatehouse"]}, environment, folder, binary))
    if report.needs("redis-server", "the Redis of compose was not started"):
        report.check("the Redis of compose", redis_store.problems(binary))
    if report.needs("haproxy", "haproxy.cfg was not checked by it"):
        code, output = run("haproxy", "-c", "-f", compose.FOLDER / "haproxy/haproxy.cfg")
        report.check("haproxy.cfg", [output] if code else [])
    if binary and shutil.which("redis-server") and shutil.which("haproxy"):
        report.check("the replacement of both gateways under load", rollout.problems(binary))
    if ALERTS.exists() and report.needs("promtool", "prometheus.yaml was not checked by it"):
        code, output = run("promtool", "check", "config", DEPLOY / "prometheus/prometheus.yaml")
        report.check("prometheus.yaml", [output] if code else [])


def check_emulator(report, folder, binary):
    """The Compose file for development, whose gateway accepts the emulator's tokens."""
    parsed = compose.yaml.safe_load((DEPLOY / "emulator/compose.yaml").read_text())
    report.check("compose of the emulator", compose.format_problems(parsed))
    gateway = parsed["services"]["gatehouse"]
    report.check("its ports", (
        f"{name} publishes {port} on other addresses than 127.0.0.1"
        for name, service in parsed["services"].items() for port in service.get("ports", [])
        if not port.startswith("127.0.0.1:")))
    report.check("the configuration of the emulator", configurations.problems(
        {"gatehouse.yaml": (DEPLOY / "emulator/gatehouse.yaml").read_text()}, gateway["environment"], folder, binary,
        warns=True))


def main():
    parser = argparse.ArgumentParser(prog="deploy-test", description=__doc__)
    parser.add_argument("--binary", metavar="FILE", help="the gateway")
    parser.add_argument("--update", action="store_true", help="copy the alerts to the places that need a copy")
    options = parser.parse_args()
    if options.update and not ALERTS.exists():
        parser.error(f"{ALERTS} does not exist")
    if options.update:
        update()
    binary = Path(options.binary).resolve() if options.binary else None
    if binary and not binary.exists():
        parser.error(f"{binary} does not exist")
    start = time.monotonic()
    report, folder = Report(), configurations.Folder()
    for program in ("helm", "kubectl"):
        if not find(program):
            report.missing.append(f"{program} is not installed, so nothing was rendered with it")
    if not binary:
        report.missing.append("there is no --binary, so `gatehouse check` did not run")
    report.check("the checks themselves", self_test.problems())
    check_compose(report, folder, binary)
    check_emulator(report, folder, binary)
    check_kubernetes(report, folder, binary)
    check_chart(report, folder, binary)
    if ALERTS.exists():
        report.check("the copies of the alerts", copy_problems())
    else:
        report.missing.append(f"{ALERTS.relative_to(REPOSITORY)} does not exist, so its copies were not compared")
    report.check("the provisioning of Grafana", grafana_problems())
    report.check("the files that the manual names", manual_problems())
    for text in report.missing:
        print(f"deploy-test: {text}", file=sys.stderr)
    print(f"deploy-test: {time.monotonic() - start:.1f} s", file=sys.stderr)
    print(f"{report.passed} passed, {report.failed} failed")
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main())
