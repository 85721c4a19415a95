import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  own,
  parseObject,
  stringifyJson,
} from '../../util/json/json.js'
import { listField, objectField, textField } from '../../util/json/json-fields.js'

const MASK = '***'
/** As of `maskText`: a shorter value would mask ordinary text. */
const MASKED_LENGTH = 4

/** One piece of a text that a stream sends in many. */
interface Piece {
  readonly event: number
  /** Its position in the event. */
  readonly path: readonly (string | number)[]
  readonly text: string
}

/** Events without the secrets that begin in one of them and end in another; those within one event are left to `maskValue`. */
export function maskSplitSecrets<Event extends { readonly data: string }>(
  events: readonly Event[],
  secrets: readonly string[],
): readonly Event[] {
  const long = secrets.filter(({ length }) => length >= MASKED_LENGTH)
  if (long.length === 0) return events
  const parsed = events.map(({ data }) => parseObject(data))
  const streams = new Map<string, Piece[]>()
  for (const [event, value] of parsed.entries())
    for (const { stream, path, text } of value === undefined ? [] : piecesIn(value))
      streams.set(stream, [...(streams.get(stream) ?? []), { event, path, text }])
  const changed = new Set<number>()
  for (const pieces of streams.values())
    for (const { event, path, text } of maskedPieces(pieces, long)) {
      const value = parsed[event]
      if (value === undefined) continue
      parsed[event] = withText(value, path, text)
      changed.add(event)
    }
  return events.map((event, index) => {
    const value = parsed[index]
    return value !== undefined && changed.has(index) ? { ...event, data: stringifyJson(value) } : event
  })
}

/** The pieces of texts in one event: of chat completions and completions the deltas, of responses `delta`. */
function piecesIn(value: JsonObject): readonly (Omit<Piece, 'event'> & { readonly stream: string })[] {
  const delta = textField(value, 'delta')
  const ofResponse =
    delta === undefined
      ? []
      : [
          {
            stream: `${textField(value, 'type')} ${String(own(value, 'item_id'))}`,
            path: ['delta'],
            text: delta,
          },
        ]
  const ofChoices = listField(value, 'choices').flatMap((choice, index) => {
    if (!isJsonObject(choice)) return []
    const stream = `choice ${String(own(choice, 'index') ?? index)}`
    const inside = objectField(choice, 'delta')
    const texts = Object.entries(inside).flatMap(([name, text]) =>
      typeof text === 'string'
        ? [{ stream: `${stream} ${name}`, path: ['choices', index, 'delta', name], text }]
        : [],
    )
    const text = textField(choice, 'text')
    const calls = listField(inside, 'tool_calls').flatMap((call, place) => {
      const written = isJsonObject(call) ? textField(objectField(call, 'function'), 'arguments') : undefined
      const path = ['choices', index, 'delta', 'tool_calls', place, 'function', 'arguments']
      const number = isJsonObject(call) ? String(own(call, 'index') ?? place) : ''
      return written === undefined ? [] : [{ stream: `${stream} call ${number}`, path, text: written }]
    })
    return [
      ...texts,
      ...(text === undefined ? [] : [{ stream, path: ['choices', index, 'text'], text }]),
      ...calls,
    ]
  })
  return [...ofResponse, ...ofChoices]
}

/** The pieces that lose a part of a secret; the mask replaces its beginning. */
function maskedPieces(pieces: readonly Piece[], secrets: readonly string[]): readonly Piece[] {
  const whole = pieces.map(({ text }) => text).join('')
  const found = secrets.flatMap((secret) => placesOf(whole, secret))
  if (found.length === 0) return []
  let offset = 0
  return pieces.map((piece) => {
    const start = offset
    offset += piece.text.length
    let text = ''
    for (let index = 0; index < piece.text.length; index += 1) {
      const at = start + index
      const inside = found.find((place) => at >= place.start && at < place.end)
      if (inside === undefined) text += piece.text.charAt(index)
      else if (inside.start === at) text += MASK
    }
    return { ...piece, text }
  })
}

function placesOf(
  whole: string,
  secret: string,
): readonly { readonly start: number; readonly end: number }[] {
  const places = []
  for (let start = whole.indexOf(secret); start !== -1; start = whole.indexOf(secret, start + secret.length))
    places.push({ start, end: start + secret.length })
  return places
}

function withText(value: JsonObject, path: readonly (string | number)[], text: string): JsonObject {
  const copy = replaced(value, path, text)
  return isJsonObject(copy) ? copy : value
}

function replaced(value: JsonValue, [name, ...rest]: readonly (string | number)[], text: string): JsonValue {
  if (name === undefined) return text
  if (Array.isArray(value))
    return value.map((each: JsonValue, index) => (index === name ? replaced(each, rest, text) : each))
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(
      ([key, each]) => [key, key === name ? replaced(each, rest, text) : each] as const,
    ),
  )
}
