import { readForeignJson } from '../util/json/foreign-json.js'
import { isJsonObject, own } from '../util/json/json.js'
import { listField, textField } from '../util/json/json-fields.js'
import { MODEL_ANSWER_BOUNDS } from '../util/limits.js'
import type { Clock } from '../util/time/clock.js'
import { askModels } from './ask-models.js'
import type { HttpUpstreamSettings } from './http-upstream.js'

/** How long an upstream's list is kept, and its absence too. */
const KEPT_MS = 60_000
/** How long a client that wants a list waits for an upstream. */
const TIMEOUT_MS = 3_000
/** More names are not listed. */
const MAX_NAMES = 5_000

interface Kept {
  readonly at: number
  readonly names: Promise<readonly string[]>
}

/** The names of an upstream's models, as its own list has them. */
export interface ModelNames {
  /** Kept for a minute. Never rejects: an upstream without a list, or one that does not answer, has no names. */
  namesOf(upstream: string): Promise<readonly string[]>
}

/** Creates what asks upstreams for their lists of models. */
export function createModelNames(upstreams: readonly HttpUpstreamSettings[], clock: Clock): ModelNames {
  const byName = new Map(upstreams.map((upstream) => [upstream.name, upstream]))
  const kept = new Map<string, Kept>()
  return {
    namesOf(name) {
      const settings = byName.get(name)
      if (settings === undefined) return Promise.resolve([])
      const now = clock.elapsed()
      const known = kept.get(name)
      if (known !== undefined && now - known.at < KEPT_MS) return known.names
      const names = readNames(settings)
      kept.set(name, { at: now, names })
      return names
    },
  }
}

async function readNames(settings: HttpUpstreamSettings): Promise<readonly string[]> {
  try {
    const { status, body } = await askModels(settings, AbortSignal.timeout(TIMEOUT_MS))
    if (status !== 200) return []
    const answer = await readForeignJson(body.toString('utf8'), MODEL_ANSWER_BOUNDS)
    if (!isJsonObject(answer)) return []
    const entries = listField(answer, own(answer, 'data') === undefined ? 'models' : 'data')
    return entries
      .filter(isJsonObject)
      .map((entry) => textField(entry, 'id'))
      .filter((id) => id !== undefined)
      .slice(0, MAX_NAMES)
  } catch {
    return []
  }
}
