import type { Metrics } from '../util/metrics.js'
import type { Registry } from './registry.js'
import type { Diagnostic } from './snapshot.js'

const SEVERITIES = ['error', 'warning'] as const
const MODES = ['tracking', 'keyspace', 'polling', 'watch'] as const

/** Shows the state of the mirror and of the compiled templates at every scrape. */
export function registerRegistryMetrics(metrics: Metrics, registry: Registry): void {
  const gauge = (name: string, help: string, read: () => number) => metrics.gauge(name, help, read)
  gauge('registry_ready', '1 after the first full load', () => Number(registry.status.ready))
  gauge('registry_stale', '1 while the last good catalog is served without its store', () =>
    Number(registry.status.stale),
  )
  gauge('registry_documents', 'Documents in the mirror', () => registry.status.sync.documents)
  gauge('registry_full_loads', 'Full loads of the store', () => registry.status.sync.fullLoads)
  gauge(
    'registry_fetches',
    'Fetches of only the changed documents',
    () => registry.status.sync.incrementalFetches,
  )
  gauge(
    'registry_last_load_seconds',
    'How long the last full load took',
    () => registry.status.sync.lastLoadMs / 1000,
  )
  metrics.gauge(
    'registry_diagnostics',
    'Errors and warnings about documents',
    () => SEVERITIES.map((severity) => [[severity], count(registry.current.diagnostics, severity)] as const),
    ['severity'],
  )
  gauge('template_cache_hits', 'Compiled prompts found', () => registry.status.templateCache.hits)
  gauge('template_cache_misses', 'Compiled prompts not found', () => registry.status.templateCache.misses)
  gauge(
    'template_cache_evictions',
    'Compiled prompts dropped for others',
    () => registry.status.templateCache.evictions,
  )
  metrics.gauge(
    'registry_store_mode',
    'How changes are noticed: 1 for the mode in use',
    () => MODES.map((mode) => [[mode], Number(registry.status.store.mode === mode)] as const),
    ['mode'],
  )
}

function count(diagnostics: readonly Diagnostic[], severity: Diagnostic['severity']): number {
  return diagnostics.reduce((sum, each) => sum + Number(each.severity === severity), 0)
}
