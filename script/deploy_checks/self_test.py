"""Changes of the files that the checks must report, each with a part of the report."""

import copy

import compose
import manifests
from programs import REPOSITORY

BASE = REPOSITORY / "deploy/kubernetes/base"


def pod(documents):
    return deployment(documents)["spec"]["template"]["spec"]


def container(documents):
    return pod(documents)["containers"][0]


def deployment(documents):
    return of_kind(documents, "Deployment")


def of_kind(documents, kind, number=0):
    return [document for document in documents if document["kind"] == kind][number]


def configuration(documents, old, new):
    data = of_kind(documents, "ConfigMap")["data"]
    assert old in data["gatehouse.yaml"], old
    data["gatehouse.yaml"] = data["gatehouse.yaml"].replace(old, new)


MANIFESTS = [
    (lambda d: container(d).update(image="gatehouse"), "no fixed tag"),
    (lambda d: container(d).update(image="gatehouse:latest"), "no fixed tag"),
    (lambda d: container(d)["livenessProbe"]["httpGet"].update(path="/health"), "livenessProbe"),
    (lambda d: container(d)["readinessProbe"]["httpGet"].update(port="http"), "readinessProbe"),
    (lambda d: container(d).pop("startupProbe"), "startupProbe"),
    (lambda d: container(d)["securityContext"].pop("capabilities"), "capabilities"),
    (lambda d: container(d)["securityContext"].update(readOnlyRootFilesystem=False), "readOnlyRootFilesystem"),
    (lambda d: container(d)["resources"].pop("limits"), "no limit of memory"),
    (lambda d: container(d)["volumeMounts"].pop(), "nothing is mounted at /run/secrets/gatehouse"),
    (lambda d: container(d)["volumeMounts"][0].update(subPath="a"), "subPath"),
    (lambda d: pod(d)["securityContext"].update(runAsUser=0), "root"),
    (lambda d: pod(d)["securityContext"].pop("seccompProfile"), "seccompProfile"),
    (lambda d: pod(d).update(automountServiceAccountToken=True), "automountServiceAccountToken"),
    (lambda d: pod(d).pop("enableServiceLinks"), "enableServiceLinks"),
    (lambda d: pod(d).update(terminationGracePeriodSeconds=54), "terminationGracePeriodSeconds"),
    (lambda d: pod(d)["topologySpreadConstraints"][0]["labelSelector"]["matchLabels"].clear(), "constraint"),
    (lambda d: deployment(d)["spec"].update(replicas=2), "both set the number"),
    (lambda d: deployment(d)["spec"]["strategy"]["rollingUpdate"].update(maxUnavailable=1), "rollout"),
    (lambda d: deployment(d)["spec"]["selector"]["matchLabels"].update(a="b"), "does not select its own pods"),
    (lambda d: of_kind(d, "Service")["spec"]["selector"].update(a="b"), "does not select the gateways"),
    (lambda d: of_kind(d, "Service")["spec"]["ports"][0].update(targetPort="web"), "target port web"),
    (lambda d: of_kind(d, "PodDisruptionBudget")["spec"]["selector"]["matchLabels"].update(a="b"), "Budget"),
    (lambda d: of_kind(d, "HorizontalPodAutoscaler")["spec"]["scaleTargetRef"].update(name="b"), "Autoscaler"),
    (lambda d: of_kind(d, "NetworkPolicy")["spec"]["ingress"][0]["ports"][0].update(port=80), "permits the ports"),
    (lambda d: of_kind(d, "NetworkPolicy")["spec"]["ingress"][1].pop("from"), "every peer"),
    (lambda d: of_kind(d, "NetworkPolicy")["spec"]["policyTypes"].pop(), "both directions"),
    (lambda d: of_kind(d, "ServiceAccount").update(automountServiceAccountToken=True), "mounts a token"),
    (lambda d: of_kind(d, "ServiceMonitor")["spec"]["endpoints"][0].update(port="http"), "scrapes"),
    (lambda d: of_kind(d, "ServiceMonitor")["spec"]["selector"]["matchLabels"].pop("app.kubernetes.io/component"),
     "selects 2 Services"),
    (lambda d: of_kind(d, "ServiceMonitor")["spec"].pop("jobLabel"), "the job"),
    (lambda d: configuration(d, "# trusted_proxies:", "trusted_proxies:"), "any client address"),
    (lambda d: configuration(d, "0.0.0.0:8080", "0.0.0.0:8081"), "port http"),
    (lambda d: configuration(d, "0.0.0.0:9901", "0.0.0.0:9902"), "port admin"),
    (lambda d: configuration(d, "delay: 10s", "delay: 20s"), "terminationGracePeriodSeconds"),
    (lambda d: configuration(d, "workers: 2", "workers: null"), "workers"),
    (lambda d: configuration(d, "connections: 4000", "connections: 10000"), "the limit of memory"),
]

COMPOSE = [
    (lambda c, f: c["services"]["redis"].update(cap_dropped=["ALL"]), "cap_dropped"),
    (lambda c, f: c["services"]["redis"].update(image="redis:latest"), "not one version"),
    (lambda c, f: c["services"]["redis"].update(read_only=False), "writable"),
    (lambda c, f: c["services"]["app"].pop("cap_drop"), "capabilities"),
    (lambda c, f: c["services"]["app"].pop("security_opt"), "gain privileges"),
    (lambda c, f: c["services"]["app"].pop("mem_limit"), "mem_limit"),
    (lambda c, f: c["services"]["grafana"].update(ports=["3000:3000"]), "public port"),
    (lambda c, f: c["services"]["grafana"]["environment"].update(GF_PASSWORD="a"), "in its environment"),
    (lambda c, f: c["services"]["gateway-1"].update(stop_grace_period="49s"), "stop_grace_period"),
    (lambda c, f: c["services"]["gateway-2"]["environment"].update(ADMIN_ADDRESS="0.0.0.0:9901"), "admin listener"),
    (lambda c, f: c["services"]["gateway-1"].update(healthcheck={"test": ["CMD", "/usr/bin/gatehouse", "healthcheck"]}),
     "health check"),
    (lambda c, f: c["services"]["gateway-2"]["networks"]["edge"].update(ipv4_address="172.30.80.13"), "servers"),
    (lambda c, f: c["services"]["edge"]["networks"]["edge"].update(ipv4_address="172.30.80.9"), "trust"),
    (lambda c, f: c["services"]["redis"]["command"].__setitem__(4, "everysec"), "appendfsync"),
    (lambda c, f: c["services"]["redis"]["volumes"].clear(), "no volume"),
    (lambda c, f: c["services"]["gateway-1"].update(mem_limit="256m"), "the limit of memory"),
    (lambda c, f: c["services"]["edge"].update(mem_limit="256m"), "connections of the edge"),
    (lambda c, f: c["secrets"].pop("redis-acl"), "secrets"),
    (lambda c, f: f.update(haproxy=f["haproxy"].replace("maxconn 8000", "maxconn 20000")), "sum of the gateways"),
    (lambda c, f: f.update(haproxy=f["haproxy"].replace("tune.sndbuf.client", "# ")), "buffers in the kernel"),
    (lambda c, f: f.update(dockerignore=f["dockerignore"].replace("**/*.key", "*.key")), ".dockerignore lacks"),
    (lambda c, f: f.update(haproxy=f["haproxy"].replace("send-proxy-v2", "")), "send-proxy-v2"),
    (lambda c, f: f.update(haproxy=f["haproxy"].replace("inter 1s", "inter 2s")), "drain.delay"),
    (lambda c, f: f.update(gatehouse=f["gatehouse"].replace("proxy_protocol: true", "proxy_protocol: false")), "PROXY"),
    (lambda c, f: f.update(prometheus=f["prometheus"].replace("172.30.80.12:", "gateway-2:")), "Prometheus"),
    (lambda c, f: f.update(prometheus=f["prometheus"].replace("static_configs", "dns_sd_configs")), "Prometheus"),
]


def objects():
    """The objects of the base and of the monitoring component, without a program that renders them."""
    documents = []
    monitoring = REPOSITORY / "deploy/kubernetes/components/monitoring/servicemonitor.yaml"
    for file in [*sorted(BASE.glob("*.yaml")), monitoring]:
        if file.name not in ("kustomization.yaml", "gatehouse.yaml", "secret.example.yaml"):
            documents += manifests.parse(file.read_text())
    documents.append({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"name": "gatehouse", "labels": {"app.kubernetes.io/name": "gatehouse"}},
        "data": {"gatehouse.yaml": (BASE / "gatehouse.yaml").read_text()}})
    return documents


def problems():
    documents = objects()
    container(documents).update(imagePullPolice="Always")
    if not any("imagePullPolice" in problem for problem in manifests.schema_problems(documents)):
        yield "an unknown field of a container is not reported"
    for change, expected in MANIFESTS:
        documents = copy.deepcopy(objects())
        change(documents)
        found = list(manifests.Deployed(documents).rule_problems())
        if not any(expected in problem for problem in found):
            yield f"a change of the manifests is not reported with '{expected}': {found}"
    parsed, files = compose.load()
    for change, expected in COMPOSE:
        changed = copy.deepcopy(parsed), dict(files)
        change(*changed)
        found = list(compose.problems(*changed))
        if not any(expected in problem for problem in found):
            yield f"a change of compose is not reported with '{expected}': {found}"
