{{/* The name in labels: that of the earlier controller for a release named after it, so that such a release is upgraded in place. */}}
{{- define "tenon.name" -}}
{{- default (ternary "karpenter" "tenon" (contains "karpenter" .Release.Name)) .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{/* The name of the objects: the release, with the chart's name if the release does not contain it. */}}
{{- define "tenon.fullname" -}}
{{- $name := include "tenon.name" . }}
{{- $made := ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name) }}
{{- default $made .Values.fullnameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "tenon.selector" -}}
app.kubernetes.io/name: {{ include "tenon.name" . | quote }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end }}

{{- define "tenon.labels" -}}
{{ include "tenon.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- with .Values.additionalLabels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* Lines of metadata behind the name: labels and annotations. */}}
{{- define "tenon.metadata" -}}
labels:
  {{- include "tenon.labels" . | nindent 2 }}
{{- with .Values.additionalAnnotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "tenon.serviceAccount" -}}
{{- if .Values.serviceAccount.create }}
{{- default (include "tenon.fullname" .) .Values.serviceAccount.name }}
{{- else }}
{{- default "default" .Values.serviceAccount.name }}
{{- end }}
{{- end }}

{{/* "true" for a release that only observes: nothing of it may stand in the way of the controller beside it. */}}
{{- define "tenon.observe" -}}
{{- if eq (include "tenon.text" .Values.settings.observe) "true" }}true{{ end }}
{{- end }}

{{- define "tenon.kwok" -}}
{{- if eq (include "tenon.text" .Values.settings.cloud) "kwok" }}true{{ end }}
{{- end }}

{{/* "true" for the values of Karpenter v0.27, unless its API is disabled: its ConfigMaps and webhooks are rendered. */}}
{{- define "tenon.provisioners" -}}
{{- if and (ne (include "tenon.observe" .) "true") .Values.settings.aws.clusterName (ne (toString .Values.settings.featureGates.provisionerAPI) "false") }}true{{ end }}
{{- end }}

{{- define "tenon.webhooks" -}}
{{- $enabled := include "tenon.text" .Values.webhook.enabled }}
{{- if and (ne (include "tenon.observe" .) "true") (or (eq $enabled "true") (and (eq $enabled "") (eq (include "tenon.provisioners" .) "true"))) }}true{{ end }}
{{- end }}

{{/* A scalar as text: a number of a values file is a float64, which is printed as 1e+06 otherwise. */}}
{{- define "tenon.text" -}}
{{- if kindIs "float64" . }}{{ if eq . (floor .) }}{{ printf "%.0f" . }}{{ else }}{{ toString . }}{{ end }}{{ else if not (kindIs "invalid" .) }}{{ toString . }}{{ end }}
{{- end }}

{{- define "tenon.leaseName" -}}
{{- $name := default "karpenter-leader-election" .Values.settings.leaderElectionName }}
{{- ternary "tenon-observer" $name (and (eq (include "tenon.observe" .) "true") (eq $name "karpenter-leader-election")) }}
{{- end }}

{{- define "tenon.image" -}}
{{- $own := .Values.image }}
{{- $image := ternary .Values.controller.image $own (and (empty $own.repository) (not $own.local)) }}
{{- if $own.local }}
{{- printf "%s:%s" (default "tenon" $own.repository) (default .Chart.AppVersion $own.tag) }}
{{- else }}
{{- $repository := required "image.repository: there is no public image of Tenon; name the repository that you have pushed it to, or set image.local=true for an image that is loaded on the nodes as tenon:VERSION" $image.repository }}
{{- if hasPrefix "public.ecr.aws/karpenter/" $repository }}
{{- fail (printf "image.repository: %s contains Karpenter, not Tenon" $repository) }}
{{- end }}
{{- with $image.digest }}
{{- printf "%s@%s" $repository . }}
{{- else }}
{{- printf "%s:%s" $repository (default .Chart.AppVersion $image.tag) }}
{{- end }}
{{- end }}
{{- end }}

{{/* The gates as NAME=true,NAME=false, sorted. driftEnabled is a setting of v0.27: the ConfigMap has it. */}}
{{- define "tenon.featureGates" -}}
{{- $gates := list }}
{{- range $key, $value := omit .Values.settings.featureGates "driftEnabled" }}
{{- if not (eq (include "tenon.text" $value) "") }}
{{- $gates = append $gates (printf "%s=%s" (title $key) (include "tenon.text" $value)) }}
{{- end }}
{{- end }}
{{- join "," (sortAlpha $gates) }}
{{- end }}

{{/* Data of the ConfigMap of v0.27: settings.aws flattened, tags as JSON text. */}}
{{- define "tenon.globalSettings" -}}
{{- $data := dict }}
{{- range $key, $value := .Values.settings.aws }}
{{- if kindIs "map" $value }}
{{- if $value }}{{ $_ := set $data (printf "aws.%s" $key) (toJson $value) }}{{ end }}
{{- else if not (eq (include "tenon.text" $value) "") }}
{{- $_ := set $data (printf "aws.%s" $key) (include "tenon.text" $value) }}
{{- end }}
{{- end }}
{{- with include "tenon.text" .Values.settings.featureGates.driftEnabled }}
{{- $_ := set $data "featureGates.driftEnabled" . }}
{{- end }}
{{- toJson $data }}
{{- end }}

{{/* The given terms, each with the pods of this release as its label selector unless it has one. */}}
{{- define "tenon.withSelector" -}}
{{- $selector := dict "matchLabels" (include "tenon.selector" .root | fromYaml) }}
{{- $out := list }}
{{- range .terms }}
{{- $out = append $out (hasKey . "labelSelector" | ternary . (merge (dict "labelSelector" $selector) .)) }}
{{- end }}
{{- toYaml $out }}
{{- end }}

{{/* Settings that the binary does not have are errors: a misspelt one would be without effect. */}}
{{- define "tenon.checkSettings" -}}
{{- $known := list "aws" "featureGates" "awsFeatureGates" }}
{{- range .Files.Get "files/settings.yaml" | fromYamlArray }}{{ $known = append $known .value }}{{ end }}
{{- range $key, $_ := .Values.settings }}
{{- if not (has $key $known) }}{{ fail (printf "settings.%s is not a setting of Tenon" $key) }}{{ end }}
{{- end }}
{{- if and (ne (include "tenon.kwok" .) "true") (empty .Values.settings.clusterName) (empty .Values.settings.aws.clusterName) }}
{{- fail "settings.clusterName is required: the name of the EKS cluster (settings.aws.clusterName in the values of Karpenter v0.27)" }}
{{- end }}
{{- end }}
