/** Ids and times, which are others in every answer. */
const CHANGING = [
  // Once they had the client's own id of the request in them, which is `same`.
  [/\b(chatcmpl|resp|msg)[-_]same(_\d+)?\b/g, '$1-<id>'],
  [/\b(chatcmpl|resp|msg|rs|fc|call|item)[-_][A-Za-z0-9_-]{8,}/g, '$1-<id>'],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, '<id>'],
  [/"(created|created_at|completed_at|at|ms|duration_ms)":\s*[\d.]+/g, '"$1":0'],
  [/"obfuscation":"[^"]*"/g, '"obfuscation":""'],
]

/** An answer without what changes: JSON as a value, streams as a list of events. */
export function steady({ status, type, text }, names) {
  let plain = text
  for (const [pattern, instead] of CHANGING) plain = plain.replace(pattern, instead)
  for (const [name, instead] of names) plain = plain.replaceAll(name, instead)
  return { status, type, body: bodyOf(type ?? '', plain) }
}

function bodyOf(type, text) {
  if (type.includes('event-stream')) return text.split('\n\n').map(eventOf)
  return type.includes('json') ? jsonOf(text) : text
}

function eventOf(text) {
  return text.split('\n').map((line) => (line.startsWith('data: ') ? jsonOf(line.slice(6)) : line))
}

function jsonOf(text) {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Where two values differ: the path, and what is there on each side. Members of objects are compared in any order. */
export function* differencesOf(was, is, at = '') {
  if (isObject(was) && isObject(is)) {
    for (const name of new Set([...Object.keys(was), ...Object.keys(is)]))
      yield* differencesOf(was[name], is[name], `${at}.${Array.isArray(was) ? '*' : name}`)
    return
  }
  if (was !== is) yield { at, was, is }
}

function isObject(value) {
  return typeof value === 'object' && value !== null
}
