{{/* The name of the objects: the release, with the chart's name unless the release has it. At most 52 characters, so
that `-admin` and `-check` fit into 63. */}}
{{- define "gatehouse.fullname" -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 52 | trimSuffix "-" -}}
{{- else if contains $name .Release.Name -}}
{{- .Release.Name | trunc 52 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 52 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* The labels that every object of the release has, and that the network policy selects. */}}
{{- define "gatehouse.releaseLabels" -}}
app.kubernetes.io/name: {{ default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{/* The labels that only the gateways have. */}}
{{- define "gatehouse.selectorLabels" -}}
{{ include "gatehouse.releaseLabels" . }}
app.kubernetes.io/component: gateway
{{- end -}}

{{- define "gatehouse.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{ include "gatehouse.releaseLabels" . }}
{{- end -}}

{{- define "gatehouse.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "gatehouse.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{- define "gatehouse.image" -}}
{{- printf "%s:%s" .Values.image.repository (default .Chart.AppVersion .Values.image.tag) -}}
{{- end -}}

{{/* The Secret with the gateway's secrets; empty without one. */}}
{{- define "gatehouse.secretName" -}}
{{- if and .Values.secret.existing .Values.secret.values -}}
{{- fail "secret.existing and secret.values exclude each other" -}}
{{- end -}}
{{- if .Values.secret.existing -}}
{{- .Values.secret.existing -}}
{{- else if .Values.secret.values -}}
{{- include "gatehouse.fullname" . -}}
{{- end -}}
{{- end -}}

{{/* The sections of `config`, as text. */}}
{{- define "gatehouse.config" -}}
{{- if not .Values.config -}}
{{- fail "config is required: the configuration of the gateway, with identity, upstreams, routes and store" -}}
{{- end -}}
{{- $text := .Values.config -}}
{{- if kindIs "map" .Values.config -}}
{{- $text = toYaml .Values.config -}}
{{- end -}}
{{- range list "listen" "admin" "drain" "workers" -}}
{{- if regexMatch (printf `(?m)^["']?%s["']? *:` .) $text -}}
{{- fail (printf "config must not have the section %q: the chart writes it from its own values" .) -}}
{{- end -}}
{{- end -}}
{{- range list "identity" "upstreams" "routes" "store" -}}
{{- if not (regexMatch (printf `(?m)^["']?%s["']? *:` .) $text) -}}
{{- fail (printf "config.%s is required" .) -}}
{{- end -}}
{{- end -}}
{{- $most := .Values.replicas -}}
{{- if .Values.autoscaling.enabled -}}
{{- $most = .Values.autoscaling.maxReplicas -}}
{{- end -}}
{{- if and (gt (int $most) 1) (regexMatch `(?m)^store:.*sqlite:|^ +url: *["']?sqlite:` $text) -}}
{{- fail "config.store: SQLite belongs to one gateway; use Redis, or set replicas=1 and autoscaling.enabled=false" -}}
{{- end -}}
{{- $text -}}
{{- end -}}

{{/* The complete gatehouse.yaml. */}}
{{- define "gatehouse.file" -}}
# The chart wrote listen, admin, drain and workers; the rest is the value `config`.
workers: {{ .Values.workers }}
listen:
  - address: 0.0.0.0:{{ .Values.listener.port }}
    proxy_protocol: {{ .Values.listener.proxyProtocol }}
{{- if .Values.listener.tlsSecret }}
    tls:
      certificate: /run/secrets/gatehouse-tls/tls.crt
      private_key: /run/secrets/gatehouse-tls/tls.key
{{- end }}
admin:
  address: 0.0.0.0:{{ .Values.admin.port }}
{{- if .Values.admin.tokenFile }}
{{- if not (include "gatehouse.secretName" .) }}
{{- fail "admin.tokenFile needs secret.existing or secret.values" }}
{{- end }}
  token: ${file:/run/secrets/gatehouse/{{ .Values.admin.tokenFile }}}
{{- end }}
drain:
  delay: {{ .Values.drain.delaySeconds }}s
  timeout: {{ .Values.drain.timeoutSeconds }}s
{{ include "gatehouse.config" . }}
{{- end -}}

{{/* The mounts of the gateway's container, and of the container of `helm test`. */}}
{{- define "gatehouse.mounts" -}}
- { name: config, mountPath: /etc/gatehouse, readOnly: true }
{{- if include "gatehouse.secretName" . }}
- { name: secrets, mountPath: /run/secrets/gatehouse, readOnly: true }
{{- end }}
{{- if .Values.listener.tlsSecret }}
- { name: tls, mountPath: /run/secrets/gatehouse-tls, readOnly: true }
{{- end }}
{{- with .Values.volumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* 288 is 0440: the group of the gateway reads. */}}
{{- define "gatehouse.volumes" -}}
- name: config
  configMap: { name: {{ include "gatehouse.fullname" . }} }
{{- with include "gatehouse.secretName" . }}
- name: secrets
  secret: { secretName: {{ . }}, defaultMode: 288 }
{{- end }}
{{- with .Values.listener.tlsSecret }}
- name: tls
  secret: { secretName: {{ . }}, defaultMode: 288 }
{{- end }}
{{- with .Values.volumes }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "gatehouse.podSecurityContext" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
seccompProfile: { type: RuntimeDefault }
{{- end -}}

{{- define "gatehouse.securityContext" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end -}}
