{{- define "switchyard.pod" -}}
metadata:
  labels:
    {{- include "switchyard.labels" . | nindent 4 }}
  annotations:
    {{- if not .Values.existingSecret }}
    # Restarts the pods when the Secret changes.
    checksum/secret: {{ .Values.secrets | toJson | sha256sum }}
    {{- end }}
    {{- with .Values.podAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  automountServiceAccountToken: false
  enableServiceLinks: false
  # The preStop delay, the drain, five seconds for the shutdown, and a margin.
  terminationGracePeriodSeconds: {{ add .Values.drainSeconds 20 }}
  securityContext:
    runAsNonRoot: true
    runAsUser: 10001
    runAsGroup: 10001
    fsGroup: 10001
    fsGroupChangePolicy: OnRootMismatch
    seccompProfile:
      type: RuntimeDefault
  {{- with .Values.image.pullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  containers:
    - name: switchyard
      image: "{{ .Values.image.repository }}:{{ default .Chart.AppVersion .Values.image.tag }}"
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      ports:
        - name: http
          containerPort: 3000
      env:
        - name: DRAIN_SECONDS
          value: {{ .Values.drainSeconds | quote }}
        - name: LOG_LEVEL
          value: {{ .Values.logLevel | quote }}
        {{- with .Values.publicUrl }}
        - name: PUBLIC_URL
          value: {{ . | quote }}
        {{- end }}
        {{- with .Values.trustedProxies }}
        - name: TRUSTED_PROXIES
          value: {{ . | quote }}
        {{- end }}
        {{- with .Values.outboundAllow }}
        - name: OUTBOUND_ALLOW
          value: {{ . | quote }}
        {{- end }}
        {{- range $name, $value := .Values.variables }}
        - name: {{ $name }}
          value: {{ $value | quote }}
        {{- end }}
      envFrom:
        - secretRef:
            name: {{ include "switchyard.secret" . }}
      startupProbe:
        httpGet: { path: /healthz, port: http }
        periodSeconds: 2
        # The gateway migrates the database before it listens, which takes long for a large one.
        failureThreshold: 300
      livenessProbe:
        httpGet: { path: /healthz, port: http }
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 6
      readinessProbe:
        httpGet: { path: /readyz, port: http }
        periodSeconds: 3
        timeoutSeconds: 3
        failureThreshold: 2
      lifecycle:
        preStop:
          exec:
            # Waits until every proxy knows that the pod is leaving.
            command: ["sleep", "5"]
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities:
          drop: ["ALL"]
      resources:
        {{- toYaml .Values.resources | nindent 8 }}
      volumeMounts:
        - name: data
          mountPath: /data
        - name: tmp
          mountPath: /tmp
  volumes:
    - name: tmp
      emptyDir: {}
    {{- if eq .Values.database "postgres" }}
    # Survives a restart of the container, but not the deletion of the pod.
    - name: data
      emptyDir: {}
    {{- end }}
  {{- if eq .Values.database "postgres" }}
  topologySpreadConstraints:
    - maxSkew: 1
      topologyKey: kubernetes.io/hostname
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels:
          {{- include "switchyard.selector" . | nindent 10 }}
  {{- end }}
  {{- with .Values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}
