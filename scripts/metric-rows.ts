import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildApp } from '../src/app.js'
import { loadConfig } from '../src/config.js'
import type { Metrics } from '../src/util/telemetry/metrics.js'

/** The service's own metrics by name: name, type, labels, and what they count. */
export async function metricRows(): Promise<readonly (readonly string[])[]> {
  const folder = mkdtempSync(join(tmpdir(), 'ai-prompt-shell-metrics-'))
  const keys = join(folder, 'keys.json')
  writeFileSync(keys, '{"keys":[]}')
  const app = await buildApp(
    loadConfig({ environment: { LOG_LEVEL: 'silent', WARM_UP: 'false', KEYS_FILE: keys } }),
  )
  try {
    return rowsOf(app.metrics)
  } finally {
    await app.close()
    rmSync(folder, { recursive: true })
  }
}

function rowsOf({ counters, gauges, histograms }: Metrics): readonly (readonly string[])[] {
  const kinds = [
    { type: 'counter', families: counters },
    { type: 'gauge', families: gauges },
    { type: 'histogram', families: histograms },
  ]
  const rows = kinds.flatMap(({ type, families }) =>
    families.map(({ name, help, labelNames }) => {
      const labels = labelNames.map((label) => `\`${label}\``).join(' ')
      return [`\`${name}\``, type, labels, help]
    }),
  )
  return rows.toSorted(([one = ''], [other = '']) => (one < other ? -1 : 1))
}
