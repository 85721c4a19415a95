/** A JSON Schema. */
type Shape = Readonly<Record<string, unknown>>

const text: Shape = { type: 'string' }
const count: Shape = { type: 'integer', minimum: 0 }
const flag: Shape = { type: 'boolean' }
const name: Shape = { type: 'string', pattern: '^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$' }
/** Labels and names of things are short. */
const label: Shape = { type: 'string', pattern: '^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$' }
const labels: Shape = { type: 'object', additionalProperties: label }
const texts: Shape = { type: 'object', additionalProperties: text }
const quantity: Shape = { type: 'object', additionalProperties: { type: ['string', 'number'] } }
const selector = exact({ matchLabels: labels })
const portNumber: Shape = { type: 'integer', minimum: 1, maximum: 65_535 }
const portName: Shape = { type: 'string', pattern: '^[a-z]([-a-z0-9]{0,13}[a-z0-9])?$' }
const port: Shape = { anyOf: [portNumber, portName] }
const protocol: Shape = { enum: ['TCP', 'UDP'] }

/** An object of these fields and no other; those with a `?` may be absent. */
function exact(fields: Readonly<Record<string, Shape>>): Shape {
  const names = Object.keys(fields)
  return {
    type: 'object',
    additionalProperties: false,
    required: names.filter((field) => !field.endsWith('?')),
    properties: Object.fromEntries(names.map((field) => [field.replace('?', ''), fields[field]])),
  }
}

function listOf(items: Shape, minItems = 1): Shape {
  return { type: 'array', items, minItems }
}

function object(apiVersion: string, kind: string, fields: Readonly<Record<string, Shape>>): Shape {
  const metadata = exact({ name, labels, 'annotations?': texts })
  return exact({ apiVersion: { const: apiVersion }, kind: { const: kind }, metadata, ...fields })
}

const probe = exact({
  httpGet: exact({ path: { type: 'string', pattern: '^/' }, port }),
  'periodSeconds?': count,
  'timeoutSeconds?': count,
  'failureThreshold?': count,
})

const container = exact({
  name,
  image: { type: 'string', pattern: '^[^\\s@:]+(:[0-9]+)?[^\\s@:]*(:[\\w.-]+|@sha256:[0-9a-f]{64})$' },
  imagePullPolicy: { enum: ['Always', 'IfNotPresent', 'Never'] },
  securityContext: exact({
    readOnlyRootFilesystem: flag,
    allowPrivilegeEscalation: flag,
    capabilities: exact({ drop: listOf(text) }),
  }),
  ports: listOf(exact({ name: portName, containerPort: portNumber, protocol })),
  env: listOf(exact({ name: { type: 'string', pattern: '^[A-Z][A-Z0-9_]*$' }, value: text })),
  volumeMounts: listOf(exact({ name, mountPath: { type: 'string', pattern: '^/' }, 'readOnly?': flag })),
  lifecycle: exact({ preStop: exact({ sleep: exact({ seconds: count }) }) }),
  startupProbe: probe,
  readinessProbe: probe,
  livenessProbe: probe,
  resources: exact({ 'requests?': quantity, 'limits?': quantity }),
})

const volume: Shape = {
  oneOf: [
    exact({ name, emptyDir: exact({ sizeLimit: text }) }),
    exact({ name, configMap: exact({ name }) }),
    exact({ name, secret: exact({ secretName: name, defaultMode: { type: 'integer', maximum: 0o777 } }) }),
  ],
}

const pod = exact({
  serviceAccountName: name,
  automountServiceAccountToken: flag,
  enableServiceLinks: flag,
  terminationGracePeriodSeconds: count,
  securityContext: exact({
    runAsNonRoot: flag,
    runAsUser: count,
    runAsGroup: count,
    fsGroup: count,
    seccompProfile: exact({ type: { enum: ['RuntimeDefault', 'Localhost', 'Unconfined'] } }),
  }),
  'imagePullSecrets?': listOf(exact({ name })),
  containers: listOf(container),
  volumes: listOf(volume),
  topologySpreadConstraints: listOf(
    exact({
      maxSkew: { type: 'integer', minimum: 1 },
      topologyKey: text,
      whenUnsatisfiable: { enum: ['DoNotSchedule', 'ScheduleAnyway'] },
      labelSelector: selector,
    }),
  ),
  'nodeSelector?': texts,
  'tolerations?': listOf({ type: 'object' }),
  'affinity?': { type: 'object' },
})

const peers: Shape = listOf({
  type: 'object',
  additionalProperties: false,
  minProperties: 1,
  properties: {
    podSelector: { type: 'object' },
    namespaceSelector: { type: 'object' },
    ipBlock: exact({ cidr: text, 'except?': listOf(text) }),
  },
})
const policyPorts = listOf(exact({ protocol, port }))

const metric: Shape = {
  oneOf: [
    exact({
      type: { const: 'Resource' },
      resource: exact({
        name: text,
        target: exact({ type: { const: 'Utilization' }, averageUtilization: count }),
      }),
    }),
    exact({
      type: { const: 'Pods' },
      pods: exact({
        metric: exact({ name: text }),
        target: exact({
          type: { const: 'AverageValue' },
          averageValue: { type: 'string', pattern: '^[0-9]+$' },
        }),
      }),
    }),
  ],
}

/**
 * The parts of the Kubernetes API that the chart uses, by version and kind: nothing else may stand in its objects, so that
 * a field in the wrong place, which a server drops in silence, fails.
 */
export const KUBERNETES_SHAPES: Readonly<Record<string, Shape>> = {
  'v1 ServiceAccount': object('v1', 'ServiceAccount', { automountServiceAccountToken: flag }),
  'v1 ConfigMap': object('v1', 'ConfigMap', { data: texts }),
  'v1 Service': object('v1', 'Service', {
    spec: exact({
      type: { enum: ['ClusterIP', 'NodePort', 'LoadBalancer'] },
      selector: labels,
      ports: listOf(
        exact({ name: portName, port: portNumber, targetPort: port, protocol, 'appProtocol?': text }),
      ),
    }),
  }),
  'apps/v1 Deployment': object('apps/v1', 'Deployment', {
    spec: exact({
      'replicas?': count,
      selector,
      strategy: exact({
        type: { const: 'RollingUpdate' },
        rollingUpdate: exact({ maxSurge: count, maxUnavailable: count }),
      }),
      template: exact({ metadata: exact({ labels, annotations: texts }), spec: pod }),
    }),
  }),
  'policy/v1 PodDisruptionBudget': object('policy/v1', 'PodDisruptionBudget', {
    spec: exact({ maxUnavailable: { type: 'integer', minimum: 1 }, selector }),
  }),
  'autoscaling/v2 HorizontalPodAutoscaler': object('autoscaling/v2', 'HorizontalPodAutoscaler', {
    spec: exact({
      scaleTargetRef: exact({ apiVersion: { const: 'apps/v1' }, kind: { const: 'Deployment' }, name }),
      minReplicas: count,
      maxReplicas: count,
      metrics: listOf(metric),
      behavior: exact({ scaleDown: exact({ stabilizationWindowSeconds: count }) }),
    }),
  }),
  'networking.k8s.io/v1 NetworkPolicy': object('networking.k8s.io/v1', 'NetworkPolicy', {
    spec: exact({
      podSelector: selector,
      policyTypes: listOf({ enum: ['Ingress', 'Egress'] }),
      ingress: listOf(exact({ ports: policyPorts, 'from?': peers })),
      egress: listOf(exact({ ports: policyPorts, 'to?': peers })),
    }),
  }),
  'networking.k8s.io/v1 Ingress': object('networking.k8s.io/v1', 'Ingress', {
    spec: exact({
      'ingressClassName?': name,
      'tls?': listOf(exact({ hosts: listOf(text), secretName: name })),
      rules: listOf(
        exact({
          host: text,
          http: exact({
            paths: listOf(
              exact({
                path: text,
                pathType: { enum: ['Prefix', 'Exact', 'ImplementationSpecific'] },
                backend: exact({ service: exact({ name, port: exact({ name: portName }) }) }),
              }),
            ),
          }),
        }),
      ),
    }),
  }),
  'monitoring.coreos.com/v1 PodMonitor': object('monitoring.coreos.com/v1', 'PodMonitor', {
    spec: exact({
      selector,
      podMetricsEndpoints: listOf(exact({ port: portName, path: text, interval: text })),
    }),
  }),
}
