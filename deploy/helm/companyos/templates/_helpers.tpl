{{- /* The name before all others, short enough for NAME-0 to be a cell's name of at most 32 characters. */ -}}
{{- define "companyos.name" -}}
{{- if contains "." .Release.Name }}{{ fail "The names of cells have no dots: choose another name for the release." }}{{ end -}}
{{- .Release.Name | trunc 26 | trimSuffix "-" -}}
{{- end }}

{{- define "companyos.labels" -}}
app.kubernetes.io/name: companyos
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- /* Which pods: given the root and a component, `cell`, `trainer-router` or `agent-router`. */ -}}
{{- define "companyos.selector" -}}
app.kubernetes.io/name: companyos
app.kubernetes.io/instance: {{ (index . 0).Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end }}

{{- /* A reference of an image: given the root and the values of the image. */ -}}
{{- define "companyos.image" -}}
{{- $root := index . 0 }}{{ $image := index . 1 -}}
{{- if $image.digest }}{{ $image.repository }}@{{ $image.digest }}
{{- else }}{{ $image.repository }}:{{ $image.tag | default $root.Chart.AppVersion }}
{{- end }}
{{- end }}

{{- define "companyos.secret" -}}
{{ .Values.secrets.existing | default (printf "%s-tokens" (include "companyos.name" .)) }}
{{- end }}

{{- /* The most cells that there may be, all of which the routers know. */ -}}
{{- define "companyos.most" -}}
{{ .Values.autoscaling.enabled | ternary .Values.autoscaling.maxCells .Values.cells }}
{{- end }}

{{- define "companyos.agentUrl" -}}
{{- $scheme := empty .Values.router.certificate | ternary "http" "https" -}}
{{ .Values.agentUrl | default (printf "%s://%s-agents.%s.svc:8080" $scheme (include "companyos.name" .) .Release.Namespace) }}
{{- end }}

{{- /* As decision 0011 has it for every container. */ -}}
{{- define "companyos.confined" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: {drop: [ALL]}
{{- end }}

{{- define "companyos.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
seccompProfile: {type: RuntimeDefault}
{{- end }}

{{- define "companyos.placement" -}}
{{- with .Values.nodeSelector }}
nodeSelector: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.affinity }}
affinity: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.imagePullSecrets }}
imagePullSecrets: {{ toYaml . | nindent 2 }}
{{- end }}
{{- end }}
