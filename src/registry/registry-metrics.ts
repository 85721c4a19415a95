import type { Together } from '../util/telemetry/metric-family.js'
import type { Metrics } from '../util/telemetry/metrics.js'
import type { Registry } from './registry.js'
import type { Diagnostic } from './snapshot.js'

const SEVERITIES = ['error', 'warning'] as const
const MODES = ['tracking', 'keyspace', 'polling', 'watch'] as const

/** Shows the state of the mirror and of the compiled templates at every scrape. */
export function registerRegistryMetrics(metrics: Metrics, registry: Registry): void {
  const gauge = (name: string, help: string, together: Together, read: () => number) =>
    metrics.gauge(name, help, read, { together })
  gauge('registry_ready', '1 after the first full load', 'min', () => Number(registry.status.ready))
  gauge('registry_stale', '1 while the last good catalog is served without its store', 'max', () =>
    Number(registry.status.stale),
  )
  const sync = () => registry.status.sync
  const cache = () => registry.status.templateCache
  gauge('registry_documents', 'Documents in the mirror', 'max', () => sync().documents)
  gauge('registry_full_loads', 'Full loads of the store', 'sum', () => sync().fullLoads)
  gauge('registry_fetches', 'Fetches of only the changed documents', 'sum', () => sync().incrementalFetches)
  gauge(
    'registry_last_load_seconds',
    'How long the last full load took',
    'max',
    () => sync().lastLoadMs / 1000,
  )
  metrics.gauge(
    'registry_diagnostics',
    'Errors and warnings about documents',
    () => SEVERITIES.map((severity) => [[severity], count(registry.current.diagnostics, severity)] as const),
    { labelNames: ['severity'], together: 'max' },
  )
  gauge('template_cache_hits', 'Compiled prompts found', 'sum', () => cache().hits)
  gauge('template_cache_misses', 'Compiled prompts not found', 'sum', () => cache().misses)
  gauge('template_cache_evictions', 'Compiled prompts dropped for others', 'sum', () => cache().evictions)
  metrics.gauge(
    'registry_store_mode',
    'How changes are noticed: 1 for the mode in use',
    () => MODES.map((mode) => [[mode], Number(registry.status.store.mode === mode)] as const),
    { labelNames: ['mode'], together: 'max' },
  )
}

function count(diagnostics: readonly Diagnostic[], severity: Diagnostic['severity']): number {
  return diagnostics.reduce((sum, each) => sum + Number(each.severity === severity), 0)
}
