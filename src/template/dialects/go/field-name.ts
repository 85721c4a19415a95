import type { Token } from './lexer.js'

const MAX_KEPT = 1_000
const MAX_KEPT_LENGTH = 64

/**
 * Names of fields by their tokens, which are the same few in most templates. A pure memo: a field is read faster by a name
 * that the JavaScript engine knows as one of properties than by a copy of it (`bench:template`, parse and compile).
 */
const names = new Map<string, string>()

/** The name of the field that a token such as `.name` reads. */
export function fieldName({ text }: Token): string {
  const known = names.get(text)
  if (known !== undefined) return known
  const name = text.slice(1)
  if (text.length > MAX_KEPT_LENGTH) return name
  if (names.size >= MAX_KEPT) names.clear()
  const kept = propertyName(name)
  names.set(text, kept)
  return kept
}

/** The same text as the engine keeps it for properties. An object without a prototype has no shape that would be kept too. */
function propertyName(text: string): string {
  const holder: object = Object.create(null)
  Reflect.set(holder, text, null)
  return Object.keys(holder)[0] ?? text
}
