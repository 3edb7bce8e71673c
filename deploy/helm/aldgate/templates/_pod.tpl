{{- define "aldgate.labels" -}}
app.kubernetes.io/name: aldgate
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "aldgate.selector" -}}
{{ include "aldgate.labels" . }}
app.kubernetes.io/component: bank
{{- end }}

{{- define "aldgate.metadata" -}}
namespace: {{ .Release.Namespace }}
labels:
  {{- include "aldgate.labels" . | nindent 2 }}
  app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
  helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{- /* What the bank and its commands share, so that the migration reads the bank's own settings. */}}
{{- define "aldgate.pod" -}}
automountServiceAccountToken: false
# variables such as ALDGATE_PUBLIC_PORT would be unknown settings
enableServiceLinks: false
{{- with .Values.serviceAccountName }}
serviceAccountName: {{ . }}
{{- end }}
{{- with .Values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.image.pullSecrets }}
imagePullSecrets: {{ toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  seccompProfile: { type: RuntimeDefault }
volumes:
  - name: tmp
    emptyDir: {}
  {{- range .Values.files }}
  - name: files-{{ .name }}
    {{- if .secret }}
    secret: { secretName: {{ .secret }}, defaultMode: 0440 }
    {{- else }}
    configMap: { name: {{ .configMap }} }
    {{- end }}
  {{- end }}
{{- end }}

{{- define "aldgate.container" -}}
{{- $digest := empty .Values.image.digest | ternary "" (printf "@%s" .Values.image.digest) }}
image: "{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ $digest }}"
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  readOnlyRootFilesystem: true
  allowPrivilegeEscalation: false
  capabilities: { drop: [ALL] }
resources: {{ toYaml .Values.resources | nindent 2 }}
volumeMounts:
  - { name: tmp, mountPath: /tmp }
  {{- range .Values.files }}
  - { name: files-{{ .name }}, mountPath: /etc/aldgate/{{ .name }}, readOnly: true }
  {{- end }}
env:
  - { name: ALDGATE_PROFILE, value: production }
  - { name: PUBLIC_HOST, value: "0.0.0.0" }
  - { name: PUBLIC_PORT, value: "8080" }
  - { name: MTLS_PORT, value: "8443" }
  - { name: MANAGEMENT_HOST, value: "0.0.0.0" }
  - { name: MANAGEMENT_PORT, value: "9080" }
  {{- $name := printf "%s-management" .Release.Name }}
  {{- $host := printf "%s.%s" $name .Release.Namespace }}
  - name: MANAGEMENT_HOSTS
    value: "{{ $name }},{{ $host }},{{ $host }}.svc,{{ $host }}.svc.cluster.local"
  # as many threads that sign as cores
  - name: UV_THREADPOOL_SIZE
    valueFrom: { resourceFieldRef: { resource: requests.cpu } }
  {{- /* Helm reads numbers as floating-point numbers */}}
  {{- range $setting, $value := .Values.settings }}
  - name: {{ $setting }}
    value: {{ kindIs "float64" $value | ternary (int64 $value) $value | quote }}
  {{- end }}
{{- end }}
