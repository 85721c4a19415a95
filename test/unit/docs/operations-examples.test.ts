import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import type { App } from '../../../src/app.js'
import { buildTestApp } from '../../support/build-test-app.js'
import { createKeysFile } from '../../support/keys-file.js'
import { startTestApp } from '../../support/test-app.js'

const directory = resolve(import.meta.dirname, '../../../examples/operations')
const read = (name: string) => readFileSync(resolve(directory, name), 'utf8')

/** What is no name of a metric in a query. */
const WORDS = new Set([
  'sum',
  'max',
  'min',
  'avg',
  'by',
  'rate',
  'increase',
  'histogram_quantile',
  'label_values',
])
/** What Prometheus adds. */
const TARGET_LABELS = ['job', 'instance']

interface Dashboard {
  readonly panels: readonly {
    readonly title: string
    readonly targets: readonly { readonly expr: string }[]
  }[]
  readonly templating: { readonly list: readonly { readonly type: string; readonly query: string }[] }
}
interface Rules {
  readonly groups: readonly { readonly rules: readonly { readonly alert: string; readonly expr: string }[] }[]
}

const dashboard: Dashboard = JSON.parse(read('grafana-dashboard.json'))
const rules: Rules = parse(read('alerts.yaml'))
const queries = [
  ...dashboard.panels.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ title, expr }))),
  ...rules.groups.flatMap((group) => group.rules.map(({ alert, expr }) => ({ title: alert, expr }))),
]

/** Metrics and labels that a query asks for. */
function namesIn(expr: string) {
  const matchers = [...expr.matchAll(/\{([^}]*)\}/g)].flatMap(
    ([, inner = '']) => inner.match(/\w+(?=\s*[=!])/g) ?? [],
  )
  const groups = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, inner = '']) => inner.split(/\s*,\s*/))
  const rest = expr.replace(/\{[^}]*\}|\[[^\]]*\]|\bby \([^)]*\)/g, ' ')
  const metrics = (rest.match(/\b[a-z_]\w*\b/g) ?? []).filter((word) => !WORDS.has(word))
  return { metrics, labels: [...matchers, ...groups] }
}

let app: App
const keys = createKeysFile([])
/** Labels by the names of exported series. */
let exported: ReadonlyMap<string, readonly string[]>

beforeAll(async () => {
  app = await buildTestApp({ KEYS_FILE: keys.path })
  const { body } = await app.server.inject('/metrics')
  const { counters, gauges, histograms } = app.metrics
  exported = new Map([
    ...[...body.matchAll(/^# TYPE (\S+) gauge/gm)].map(([, name = '']) => [name, []] as const),
    ...[...counters, ...gauges].map(({ name, labelNames }) => [name, labelNames] as const),
    ...histograms.map(({ name, labelNames }) => [`${name}_bucket`, [...labelNames, 'le']] as const),
  ])
})
afterAll(async () => {
  await app.close()
  keys.dispose()
})

describe('the dashboard and the alert rules', () => {
  it.each(queries)('ask for what is exported: $title', ({ expr }) => {
    const { metrics, labels } = namesIn(expr)
    expect(metrics.length).toBeGreaterThan(0)
    expect(metrics.filter((name) => !exported.has(name))).toEqual([])
    const known = [...TARGET_LABELS, ...metrics.flatMap((name) => exported.get(name) ?? [])]
    expect(labels.filter((label) => !known.includes(label))).toEqual([])
  })

  it('choose among jobs that export', () => {
    const [, metric = ''] = /label_values\((\w+), job\)/.exec(dashboard.templating.list[1]?.query ?? '') ?? []
    expect(exported.has(metric)).toBe(true)
  })

  it('have panels that do not overlap and names of their own', () => {
    expect(new Set(queries.map(({ expr }) => expr)).size).toBe(queries.length)
    expect(new Set(dashboard.panels.map(({ title }) => title)).size).toBe(dashboard.panels.length)
  })

  it('tell errors of documents from warnings', async () => {
    const service = await startTestApp({ 'templates/a/broken.json': { name: 'broken', userPrompt: '{{' } })
    const { body } = await service.app.server.inject('/metrics')
    await service.close()
    expect(body).toMatch(/^registry_diagnostics\{severity="error"\} 1$/m)
    expect(body).toMatch(/^registry_diagnostics\{severity="warning"\} 0$/m)
  })
})
