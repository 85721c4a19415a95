import type { Count, Metrics } from '../util/telemetry/metrics.js'
import type { RenderRequest } from './render-request.js'

/** More series of versions and labels are counted together: everybody who publishes makes new ones. */
const MAX_SERIES = 1_000
/** The prompt, version and label of all others. */
const OTHER = ['other', 'other', 'other'] as const

/** Counts the renders of versions by prompt, version and label; of drafts none. */
export function createServedCounter(metrics: Metrics) {
  const renders = metrics.counter(
    'prompt_version_renders_total',
    `Successful renders of versions; those beyond ${MAX_SERIES} series count as "other"`,
    ['prompt', 'version', 'label'],
  )
  const series = new Map<string, Count>()
  return ({ prompt, served }: Pick<RenderRequest, 'prompt' | 'served'>): void => {
    if (prompt === undefined || served === undefined) return
    const { number, label = '' } = served
    const key = `${prompt.id}@${number} ${label}`
    let count = series.get(key)
    if (count === undefined) {
      if (series.size >= MAX_SERIES) count = renders.with(...OTHER)
      else {
        count = renders.with(prompt.id, String(number), label)
        series.set(key, count)
      }
    }
    count.value += 1
  }
}
