import { resolve } from 'node:path'
import { Ajv } from 'ajv'
import { describe, expect, it } from 'vitest'
import { settingRows } from '../../../src/config.js'
import { VERSION } from '../../../src/util/packages/version.js'
import { type KubernetesObject, type RenderedChart, readHelmChart } from '../../support/helm-chart.js'
import { KUBERNETES_SHAPES } from '../../support/kubernetes-shapes.js'

const chart = readHelmChart(resolve(import.meta.dirname, '../../../deploy/helm/ai-prompt-shell'))
const ajv = new Ajv({ allErrors: true, strict: false })
const isValues = ajv.compile(chart.schema)
const shapes = new Map(Object.entries(KUBERNETES_SHAPES).map(([name, shape]) => [name, ajv.compile(shape)]))

/** Names that the service reads, of files too. */
const SETTINGS = new Set(
  settingRows().flatMap(({ name, secret }) => (secret ? [name, `${name}_FILE`] : [name])),
)

const OPEN = { settings: { ALLOW_ANONYMOUS: 'true' } }
const SECRET = {
  existingSecret: {
    name: 'prompts',
    files: { KEYS_FILE: 'keys.yaml', REDIS_URL_FILE: 'redis-url', LLM_API_KEY_FILE: 'llm-key' },
  },
}
const EVERYTHING = {
  ...SECRET,
  replicas: 5,
  image: { repository: 'registry.example/shell', digest: `sha256:${'a1'.repeat(32)}`, pullSecrets: ['pull'] },
  settings: { LOG_LEVEL: 'warn', MAX_BODY_BYTES: 4_194_304, RENDER_STRICT: true },
  configFile: {
    upstreams: { main: { baseUrl: 'https://api.example/v1', apiKey: { file: '/run/x' } } },
    models: [{ match: 'gpt-*', upstream: 'main' }],
  },
  drain: { preStopSeconds: 8, delayMs: 2_500, timeoutMs: 20_000 },
  autoscaling: { enabled: true, minReplicas: 3, maxReplicas: 12 },
  networkPolicy: {
    from: [{ podSelector: { matchLabels: { app: 'web' } } }],
    adminFrom: [{ namespaceSelector: { matchLabels: { name: 'monitoring' } } }],
    egress: [
      { to: [{ podSelector: { matchLabels: { app: 'redis' } } }], ports: [{ protocol: 'TCP', port: 6379 }] },
    ],
  },
  ingress: { enabled: true, className: 'nginx', annotations: { a: 'b' }, tlsSecret: 'tls' },
  podMonitor: { enabled: true },
  podAnnotations: { note: 'x: "quoted"' },
  podLabels: { team: 'a' },
  nodeSelector: { disk: 'ssd' },
  tolerations: [{ key: 'k', operator: 'Exists', effect: 'NoSchedule' }],
  affinity: { nodeAffinity: {} },
}
const VALUES: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'for everybody': OPEN,
  'with a Secret': SECRET,
  everything: EVERYTHING,
  'little of it': {
    ...SECRET,
    adminPort: 0,
    networkPolicy: { enabled: false },
    autoscaling: { enabled: true, requestsInFlight: 0 },
  },
}

const rendered = new Map<object, Promise<RenderedChart>>()

/** Each set of values is rendered once. */
function render(values: Readonly<Record<string, unknown>>): Promise<RenderedChart> {
  const found = rendered.get(values) ?? chart.render(values)
  rendered.set(values, found)
  return found
}

async function objectsOf(values: Readonly<Record<string, unknown>>): Promise<readonly KubernetesObject[]> {
  return (await render(values)).objects
}

/** The one object of a kind. */
async function objectOf(kind: string, values: Readonly<Record<string, unknown>>): Promise<KubernetesObject> {
  const found = (await objectsOf(values)).filter((object) => object.kind === kind)
  expect(found).toHaveLength(1)
  return found[0] ?? expect.fail(kind)
}

describe.each(Object.entries(VALUES))('the chart %s', (_name, values) => {
  it('takes these values', () => {
    expect(isValues({ ...chart.values, ...values }), ajv.errorsText(isValues.errors)).toBe(true)
  })

  it('makes objects of the shapes that Kubernetes knows, each once', async () => {
    const objects = await objectsOf(values)
    expect(objects.length).toBeGreaterThan(3)
    for (const object of objects) {
      const isShape = shapes.get(`${object.apiVersion} ${object.kind}`)
      expect(isShape, `${object.apiVersion} ${object.kind}`).toBeDefined()
      isShape?.(object)
      expect(ajv.errorsText(isShape?.errors), JSON.stringify(object, null, 1)).toBe('No errors')
    }
    const kinds = objects.map(({ kind }) => kind)
    expect(new Set(kinds).size).toBe(kinds.length)
  })

  it('tells its pods, services, budgets and policies by the same labels', async () => {
    for (const object of await objectsOf(values)) {
      expect(object.metadata.name).toBe('prompts-ai-prompt-shell')
      expect(object.metadata.labels).toMatchObject({
        'app.kubernetes.io/name': 'ai-prompt-shell',
        'app.kubernetes.io/instance': 'prompts',
        'app.kubernetes.io/version': VERSION,
      })
      const selectors = [
        ...JSON.stringify(object).matchAll(/"(?:matchLabels|selector)":(\{"app.kubernetes[^}]*\})/g),
      ]
      for (const [, selector = ''] of selectors)
        expect(JSON.parse(selector)).toEqual({
          'app.kubernetes.io/name': 'ai-prompt-shell',
          'app.kubernetes.io/instance': 'prompts',
        })
    }
  })

  it('sets what the service reads, as text', async () => {
    const deployment = await objectOf('Deployment', values)
    const names = [...JSON.stringify(deployment).matchAll(/"name":"([A-Z][A-Z_]+)","value":"[^"]*"/g)].map(
      ([, name]) => name,
    )
    expect(names.length).toBeGreaterThan(3)
    expect(names.filter((name) => !SETTINGS.has(name ?? ''))).toEqual([])
    expect(new Set(names).size).toBe(names.length)
  })
})

describe('the chart', () => {
  const podOf = async (values: Readonly<Record<string, unknown>>) =>
    (await objectOf('Deployment', values))['spec'] as unknown

  it('is hardened, and waits as long as an end takes', async () => {
    expect(await podOf(SECRET)).toMatchObject({
      replicas: 2,
      template: {
        spec: {
          automountServiceAccountToken: false,
          // 5 before the end, 1 + 10 of it, 5 more.
          terminationGracePeriodSeconds: 21,
          securityContext: {
            runAsNonRoot: true,
            runAsUser: 65532,
            seccompProfile: { type: 'RuntimeDefault' },
          },
          containers: [
            {
              image: `ai-prompt-shell:${VERSION}`,
              securityContext: {
                readOnlyRootFilesystem: true,
                allowPrivilegeEscalation: false,
                capabilities: { drop: ['ALL'] },
              },
              lifecycle: { preStop: { sleep: { seconds: 5 } } },
              readinessProbe: { httpGet: { path: '/readyz', port: 'admin' } },
            },
          ],
        },
      },
    })
    expect(await podOf(EVERYTHING)).toMatchObject({
      template: {
        spec: {
          // 8 + 23 (of 22.5) + 5.
          terminationGracePeriodSeconds: 36,
          containers: [{ image: `registry.example/shell@sha256:${'a1'.repeat(32)}` }],
        },
      },
    })
  })

  it('asks for its own probes where there is no admin port', async () => {
    const text = JSON.stringify(await podOf(VALUES['little of it'] ?? {}))
    expect(text).toContain('"httpGet":{"path":"/readyz","port":"http"}')
    expect(text).not.toContain('ADMIN_PORT')
  })

  it('mounts a Secret that is there, and writes none', async () => {
    const text = JSON.stringify(await podOf(SECRET))
    expect(text).toContain('{"name":"KEYS_FILE","value":"/run/secrets/ai-prompt-shell/keys.yaml"}')
    expect(text).toContain('"secret":{"secretName":"prompts"')
    expect((await objectsOf(SECRET)).map(({ kind }) => kind)).not.toContain('Secret')
  })

  it('restarts its pods when the file of the configuration changes', async () => {
    const checksum = async (configFile: object) =>
      /"checksum\/config":"(\w{64})"/.exec(JSON.stringify(await podOf({ ...SECRET, configFile })))?.[1]
    const [one, other, same] = await Promise.all([{ a: 1 }, { a: 2 }, { a: 1 }].map(checksum))
    expect(one).toMatch(/^\w{64}$/)
    expect(other).not.toBe(one)
    expect(same).toBe(one)
    const map = await objectOf('ConfigMap', EVERYTHING)
    expect(JSON.stringify(map)).toContain('baseUrl: https://api.example/v1')
  })

  it('scales by CPU and by requests in flight', async () => {
    const { spec } = await objectOf('HorizontalPodAutoscaler', EVERYTHING)
    expect(spec).toMatchObject({
      minReplicas: 3,
      metrics: [
        { resource: { name: 'cpu' } },
        { pods: { metric: { name: 'http_requests_in_flight' }, target: { averageValue: '50' } } },
      ],
    })
    expect(await podOf(EVERYTHING)).not.toHaveProperty('replicas')
  })

  it('lets nobody but DNS, HTTPS and Redis be called, and no metadata', async () => {
    const { spec } = await objectOf('NetworkPolicy', SECRET)
    expect(spec).toMatchObject({
      policyTypes: ['Ingress', 'Egress'],
      egress: [
        { ports: [{ port: 53 }, { port: 53 }] },
        { to: [{ ipBlock: { except: ['169.254.0.0/16'] } }], ports: [{ port: 443 }, { port: 6379 }] },
      ],
    })
  })

  it.each([
    ['no door', {}, 'name keys in existingSecret.files'],
    ['files of no Secret', { existingSecret: { files: { KEYS_FILE: 'k' } } }, 'needs existingSecret.name'],
  ])('is not rendered with %s', async (_name, values, message) => {
    await expect(chart.render(values)).rejects.toThrow(message)
  })

  it.each([
    ['a value nobody knows', { replica: 3 }],
    ['a secret among the settings', { settings: { LLM_API_KEY: 'x' } }],
    ['a setting of its own', { settings: { PORT: '1' } }],
    ['a digest that is none', { image: { repository: 'x', digest: 'sha256:1' } }],
    ['no replicas', { replicas: 0 }],
    ['an admin port that is taken', { adminPort: 8080 }],
    ['a file that is no setting', { existingSecret: { name: 'x', files: { keys: 'k' } } }],
  ])('refuses %s', (_name, values) => {
    expect(isValues({ ...chart.values, ...values })).toBe(false)
  })

  it('keeps every secret out of its settings', () => {
    const secrets = settingRows().filter(({ secret }) => secret)
    expect(secrets.length).toBeGreaterThan(3)
    for (const { name } of secrets)
      expect(isValues({ ...chart.values, settings: { [name]: 'x' } }), name).toBe(false)
  })

  it('says how to reach it', async () => {
    expect((await render(SECRET)).notes).toContain(
      'kubectl -n ai port-forward svc/prompts-ai-prompt-shell 8080:80',
    )
  })
})
