"""The rules for the objects of one deployment in Kubernetes, whatever rendered them."""

import functools
import re

import jsonschema
import kubernetes_validate
import kubernetes_validate.utils
import yaml

# The package reads its schemas, of several MB, for each object.
kubernetes_validate.utils.schema_contents = functools.lru_cache(kubernetes_validate.utils.schema_contents)

# The oldest version that the manual names, and the newest one that the schemas have.
VERSIONS = ("1.27", "1.37")
# The additional seconds of a stop after the drain, in which store and logs are closed.
MARGIN = 15
# The default of limits.connections.
CONNECTIONS = 10000
# The parts of the Prometheus Operator's objects that the manifests use. Its schemas are not in the package.
OPERATOR = {
    "ServiceMonitor": {
        "type": "object", "additionalProperties": False, "required": ["selector", "endpoints"],
        "properties": {
            "jobLabel": {"type": "string"},
            "selector": {"type": "object", "required": ["matchLabels"]},
            "endpoints": {"type": "array", "minItems": 1, "items": {
                "type": "object", "additionalProperties": False, "required": ["port", "path"],
                "properties": {
                    "port": {"type": "string"}, "path": {"type": "string"}, "interval": {"type": "string"},
                    "relabelings": {"type": "array", "items": {
                        "type": "object", "additionalProperties": False,
                        "properties": {"targetLabel": {"type": "string"}, "replacement": {"type": "string"}}}},
                },
            }},
        },
    },
    "PrometheusRule": {
        "type": "object", "additionalProperties": False, "required": ["groups"],
        "properties": {"groups": {"type": "array"}},
    },
}


def parse(text):
    return [document for document in yaml.safe_load_all(text) if document]


def seconds(duration):
    value, unit = re.fullmatch(r"([0-9]+)(ms|s|m|h|d)", duration).groups()
    return int(value) * {"ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86400}[unit]


def port_of(address):
    return int(address.rsplit(":", 1)[1])


def schema_problems(documents):
    for document in documents:
        name = f"{document['kind']} {document['metadata']['name']}"
        if document["apiVersion"] == "monitoring.coreos.com/v1":
            errors = jsonschema.Draft202012Validator(OPERATOR[document["kind"]]).iter_errors(document["spec"])
            yield from (f"{name}: {error.message}" for error in errors)
            continue
        for version in VERSIONS:
            try:
                kubernetes_validate.validate(document, version, strict=True)
            except kubernetes_validate.ValidationError as error:
                yield f"{name}: Kubernetes {version}: {'.'.join(map(str, error.path))}: {error.message[:200]}"
            except kubernetes_validate.SchemaNotFoundError as error:
                yield f"{name}: Kubernetes {version}: {error.message}"


def mebibytes(limit):
    value, unit = re.fullmatch(r"([0-9]+)(Mi|Gi|m|g)", limit).groups()
    return int(value) * {"Mi": 1, "m": 1, "Gi": 1024, "g": 1024}[unit]


def memory_problems(configuration, limit):
    """The limit of memory, compared with the worst case of docs/start/deploy/sizing.md without revoked users."""
    if limit is None:
        return
    connections = configuration.get("limits", {}).get("connections", CONNECTIONS)
    needed = 40 + 64 * configuration["workers"] + connections * 80 / 1024
    if mebibytes(limit) < needed:
        yield f"the limit of memory is {limit}, but the connections may need {needed:.0f} MiB"


class Deployed:
    """The objects of one deployment, and the problems that they have together."""

    def __init__(self, documents):
        self.documents = documents
        self.deployment = self.only("Deployment")
        self.template = self.deployment["spec"]["template"]
        self.pod = self.template["spec"]
        self.labels = self.template["metadata"]["labels"]
        self.selector = self.deployment["spec"]["selector"]["matchLabels"]
        self.container = self.pod["containers"][0]
        self.ports = {port["name"]: port["containerPort"] for port in self.container["ports"]}

    def all(self, kind):
        return [document for document in self.documents if document["kind"] == kind]

    def only(self, kind):
        found = self.all(kind)
        assert len(found) == 1, f"{len(found)} objects of the kind {kind}"
        return found[0]

    @staticmethod
    def selects(selector, labels):
        return bool(selector) and selector.items() <= labels.items()

    @property
    def files(self):
        """The files of the ConfigMap beside the configuration, and the configuration itself."""
        volume = next(volume for volume in self.pod["volumes"] if volume["name"] == "config")
        return next(m["data"] for m in self.all("ConfigMap") if m["metadata"]["name"] == volume["configMap"]["name"])

    @property
    def environment(self):
        return {variable["name"]: variable.get("value", "value") for variable in self.container.get("env", [])}

    def problems(self):
        yield from schema_problems(self.documents)
        yield from self.rule_problems()

    def rule_problems(self):
        """The problems that the schemas do not report."""
        yield from self.label_problems()
        yield from self.pod_problems(self.pod)
        for other in self.all("Pod"):
            yield from self.pod_problems(other["spec"])
            if self.selects(self.selector, other["metadata"]["labels"]):
                yield "the pod of the test has the labels of the gateways, so the Service would send it requests"
        yield from self.probe_problems()
        yield from self.configuration_problems()
        yield from self.mount_problems()
        yield from self.availability_problems()
        yield from self.network_problems()
        yield from self.monitoring_problems()

    def label_problems(self):
        if not self.selects(self.selector, self.labels):
            yield "the Deployment does not select its own pods"
        for document in self.documents:
            if "app.kubernetes.io/name" not in document["metadata"].get("labels", {}):
                yield f"{document['kind']} {document['metadata']['name']} has no label app.kubernetes.io/name"
        for service in self.all("Service"):
            name = service["metadata"]["name"]
            if not self.selects(service["spec"]["selector"], self.labels):
                yield f"the Service {name} does not select the gateways"
            for port in service["spec"]["ports"]:
                if port["targetPort"] not in self.ports:
                    yield f"the Service {name} has the target port {port['targetPort']}, which no container has"
        for constraint in self.pod["topologySpreadConstraints"]:
            if constraint["labelSelector"]["matchLabels"] != self.selector:
                yield f"the constraint for {constraint['topologyKey']} selects other pods"

    def pod_problems(self, pod):
        security = pod.get("securityContext", {})
        required = {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}}
        for key, value in required.items():
            if security.get(key) != value:
                yield f"the pod's securityContext has {key} {security.get(key)}, not {value}"
        if not security.get("runAsUser"):
            yield "the pod runs as root"
        for key in ("automountServiceAccountToken", "enableServiceLinks"):
            if pod.get(key) is not False:
                yield f"the pod has {key} {pod.get(key)}, not False"
        for key in ("hostNetwork", "hostPID", "hostIPC"):
            if pod.get(key):
                yield f"the pod has {key}"
        for container in pod["containers"]:
            security = container.get("securityContext", {})
            required = {"allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True,
                        "capabilities": {"drop": ["ALL"]}}
            for key, value in required.items():
                if security.get(key) != value:
                    yield f"the container's securityContext has {key} {security.get(key)}, not {value}"
            if not re.fullmatch(r"[^:@]+(:[0-9]+/[^:@]+)?:(?!latest$)[\w.-]+", container["image"]):
                yield f"the image {container['image']} has no fixed tag"
            resources = container.get("resources", {})
            if not {"cpu", "memory"} <= resources.get("requests", {}).keys():
                yield "the container requests no CPU or no memory"
            if "memory" not in resources.get("limits", {}):
                yield "the container has no limit of memory"
        account = pod.get("serviceAccountName", "default")
        for document in self.all("ServiceAccount"):
            if document["metadata"]["name"] != account:
                yield f"the pod uses the ServiceAccount {account}, not {document['metadata']['name']}"
            if document.get("automountServiceAccountToken") is not False:
                yield "the ServiceAccount mounts a token"

    def probe_problems(self):
        for name, path in (("startupProbe", "/livez"), ("livenessProbe", "/livez"), ("readinessProbe", "/readyz")):
            if self.container.get(name, {}).get("httpGet") != {"path": path, "port": "admin"}:
                yield f"the {name} is not {path} of the port admin"

    def configuration_problems(self):
        configuration = yaml.safe_load(self.files["gatehouse.yaml"])
        if port_of(configuration["listen"][0]["address"]) != self.ports["http"]:
            yield f"the gateway does not listen on the container's port http, {self.ports['http']}"
        if port_of(configuration["admin"]["address"]) != self.ports["admin"]:
            yield f"the admin listener is not on the container's port admin, {self.ports['admin']}"
        drain = configuration["drain"]
        needed = seconds(drain["delay"]) + seconds(drain["timeout"]) + MARGIN
        if self.pod["terminationGracePeriodSeconds"] < needed:
            yield f"terminationGracePeriodSeconds is shorter than a stop, which may take {needed} s"
        if not configuration.get("workers"):
            yield "workers is the number of the node's cores"
            return
        yield from memory_problems(configuration, self.container.get("resources", {}).get("limits", {}).get("memory"))
        if configuration.get("log", {}).get("access", "stdout") not in ("stdout", "none"):
            yield "the access log is a file in a read-only file system"

    def mount_problems(self):
        for pod in [self.pod, *(other["spec"] for other in self.all("Pod"))]:
            volumes = {volume["name"]: volume for volume in pod["volumes"]}
            mounts = {}
            for mount in pod["containers"][0]["volumeMounts"]:
                mounts[mount["mountPath"]] = volumes.get(mount["name"])
                if mount["name"] not in volumes:
                    yield f"the mount {mount['mountPath']} has no volume"
                if "subPath" in mount:
                    yield f"the mount {mount['mountPath']} has a subPath, which does not follow changes"
                if not mount.get("readOnly"):
                    yield f"the mount {mount['mountPath']} is writable"
            for path in re.findall(r"(?:\$\{file:|(?:certificate|key|ca): )(/[\w./-]+)", self.files["gatehouse.yaml"]):
                folder, _, name = path.rpartition("/")
                volume = mounts.get(folder)
                if volume is None:
                    yield f"the configuration names {path}, but nothing is mounted at {folder}"
                    continue
                for secret in self.all("Secret"):
                    if secret["metadata"]["name"] == volume.get("secret", {}).get("secretName"):
                        if name not in secret["stringData"]:
                            yield f"the Secret has no {name}"

    def availability_problems(self):
        spec = self.deployment["spec"]
        if spec["strategy"]["rollingUpdate"]["maxUnavailable"] != 0:
            yield "a rollout stops a gateway before the new one is ready"
        for budget in self.all("PodDisruptionBudget"):
            if budget["spec"]["selector"]["matchLabels"] != self.selector:
                yield "the PodDisruptionBudget selects other pods"
        for scaler in self.all("HorizontalPodAutoscaler"):
            target = scaler["spec"]["scaleTargetRef"]
            if (target["kind"], target["name"]) != ("Deployment", self.deployment["metadata"]["name"]):
                yield f"the HorizontalPodAutoscaler is for {target['kind']} {target['name']}"
            if "replicas" in spec:
                yield "the Deployment and the HorizontalPodAutoscaler both set the number of replicas"

    def network_problems(self):
        trusted = yaml.safe_load(self.files["gatehouse.yaml"]).get("trusted_proxies")
        for policy in self.all("NetworkPolicy"):
            spec = policy["spec"]
            for labels in [self.labels, *(pod["metadata"]["labels"] for pod in self.all("Pod"))]:
                if not self.selects(spec["podSelector"]["matchLabels"], labels):
                    yield "the NetworkPolicy does not apply to each pod"
            if set(spec["policyTypes"]) != {"Ingress", "Egress"}:
                yield "the NetworkPolicy is not for both directions"
            rules = {port["port"]: rule for rule in spec["ingress"] for port in rule["ports"]}
            if rules.keys() - set(self.ports.values()) or self.ports["http"] not in rules:
                yield f"the NetworkPolicy permits the ports {sorted(rules)}, not those of the container"
            if self.ports["admin"] in rules and not rules[self.ports["admin"]].get("from"):
                yield "the NetworkPolicy permits every peer to the admin listener"
            if trusted and not rules.get(self.ports["http"], {}).get("from"):
                yield f"every pod in {trusted} may report any client address, because the NetworkPolicy permits it"

    def monitoring_problems(self):
        for monitor in self.all("ServiceMonitor"):
            wanted = monitor["spec"]["selector"]["matchLabels"]
            services = [s for s in self.all("Service") if self.selects(wanted, s["metadata"]["labels"])]
            if len(services) != 1:
                yield f"the ServiceMonitor selects {len(services)} Services"
                continue
            names = {port["name"] for port in services[0]["spec"]["ports"]}
            job = services[0]["metadata"]["labels"].get(monitor["spec"].get("jobLabel"), "")
            for endpoint in monitor["spec"]["endpoints"]:
                replaced = {rule["targetLabel"]: rule["replacement"] for rule in endpoint.get("relabelings", [])}
                # The alerts about missing targets depend on it.
                if "gatehouse" not in replaced.get("job", job):
                    yield "the job of the ServiceMonitor does not contain 'gatehouse'"
                if endpoint["port"] not in names or endpoint["path"] != "/metrics":
                    yield f"the ServiceMonitor scrapes {endpoint['path']} of the port {endpoint['port']}"
