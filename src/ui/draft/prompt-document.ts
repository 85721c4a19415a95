import type { JsonObject, PromptDetail } from '../api/shapes.js'

/** What the service adds to a document when it shows it. */
const ADDED: ReadonlySet<string> = new Set([
  'id',
  'origin',
  'extension',
  'kind',
  'schema',
  'revision',
  'diagnostics',
  // Of a document that cannot be read there is nothing else.
  'source',
])

/** The document that the author wrote, out of what the service shows of it. */
export function documentOf(detail: PromptDetail): JsonObject {
  const entries = Object.entries(detail).filter(
    ([name, value]) => !ADDED.has(name) && !(name === 'engine' && value === 'go'),
  )
  return Object.fromEntries(entries)
}
