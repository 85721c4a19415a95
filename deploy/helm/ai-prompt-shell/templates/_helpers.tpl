{{- define "shell.name" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 63 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 63 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "shell.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "shell.labels" -}}
{{ include "shell.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "shell.image" -}}
{{- if .Values.image.digest -}}
{{- printf "%s@%s" .Values.image.repository .Values.image.digest -}}
{{- else -}}
{{- printf "%s:%s" .Values.image.repository (.Values.image.tag | default .Chart.AppVersion) -}}
{{- end -}}
{{- end -}}

{{- /* A setting as text. Helm reads every number as a float64, which would print 1e+06. */ -}}
{{- define "shell.setting" -}}
{{- if kindIs "float64" . -}}
{{- int64 . | toString | quote -}}
{{- else -}}
{{- toString . | quote -}}
{{- end -}}
{{- end -}}

{{- /* Without a door the service does not start on an address that others reach: say so before it is installed. */ -}}
{{- define "shell.assertDoor" -}}
{{- $files := .Values.existingSecret.files -}}
{{- if not (or (hasKey $files "KEYS_FILE") (hasKey $files "API_KEYS_FILE") (hasKey .Values.settings "ALLOW_ANONYMOUS")) -}}
{{- fail "name keys in existingSecret.files (KEYS_FILE or API_KEYS_FILE), or set settings.ALLOW_ANONYMOUS" -}}
{{- end -}}
{{- if and $files (not .Values.existingSecret.name) -}}
{{- fail "existingSecret.files needs existingSecret.name" -}}
{{- end -}}
{{- end -}}
