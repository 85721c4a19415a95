import { KINDS, type StoredDocument, type TextFormat } from '../../src/store/store.js'

/** A document of a store from its key without prefix, `templates:demo:hello`, and its value or text. */
export function documentOf(key: string, value: unknown, format?: TextFormat): StoredDocument {
  const [first, ...path] = key.split(':')
  const kind = KINDS.find((name) => name === first)
  if (kind === undefined) throw new Error(`no kind in ${key}`)
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const written = format ?? (kind === 'environs' ? 'json-or-text' : 'json')
  return { kind, path, location: `shenma:${key}`, content: { kind: 'text', text, format: written } }
}

/** Documents from an object of keys and values. */
export function documentsOf(catalog: Readonly<Record<string, unknown>>): readonly StoredDocument[] {
  return Object.entries(catalog).map(([key, value]) => documentOf(key, value))
}
