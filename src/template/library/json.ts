import { errorMessage } from '../../util/errors/error-message.js'
import { parseJson } from '../../util/json/json.js'
import { yaml } from '../../util/yaml/yaml.js'
import { JSON_TEXT, JSON_VALUE, YAML } from '../cost.js'
import { normalizeBytes, sortedKeys, toBytes } from '../format/byte-string.js'
import { formatFloat } from '../format/float.js'
import { checkNesting, formatInt } from '../format/format-value.js'
import { checkLength, GoError, LimitError } from '../format/go-error.js'
import { inOnePiece } from '../format/in-one-piece.js'
import { elementOf, elementsOf, entriesOf, itemsOf, kindOf, numberOf, Stringer } from '../format/kind.js'
import { rewrite } from '../format/rewrite.js'
import { MAX_PARSE_UNITS, MAX_YAML_NESTING } from '../limits.js'
import { Typed, type Value } from '../value.js'
import { GoTime } from './go-time.js'
import { anything, definer, type LibraryFunction } from './library-function.js'

const define = definer('JSON and YAML', JSON_VALUE)
const ESCAPED = /["\\\0-\x1f<>&\u2028\u2029]|[\ud800-\udfff]/gu
const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
}
const PRETTY_INDENT = '  '

/** Functions between values and JSON or YAML text. */
export const JSON_FUNCTIONS: readonly LibraryFunction[] = [
  define('toJson value', 'Compact JSON with <, > and & escaped; "" if the value has no JSON.', {
    parameters: anything(1),
    returns: 'string',
    call: (value: Value) => orEmpty(() => encoded(value, true)),
    example: '{{toJson (dict "a" (list 1 true))}}',
  }),
  define('mustToJson value', 'As toJson; a value without JSON is an error.', {
    parameters: anything(1),
    returns: 'string',
    call: (value: Value) => encoded(value, true),
    example: '{{mustToJson (dict "a" 1)}}',
  }),
  define('toPrettyJson value', 'JSON over several lines, indented by two spaces.', {
    parameters: anything(1),
    returns: 'string',
    call: (value: Value) => orEmpty(() => encoded(value, true, '\n')),
    example: '{{toPrettyJson (dict "a" 1)}}',
  }),
  define('mustToPrettyJson value', 'As toPrettyJson; a value without JSON is an error.', {
    parameters: anything(1),
    returns: 'string',
    call: (value: Value) => encoded(value, true, '\n'),
    example: '{{mustToPrettyJson (dict "a" 1)}}',
  }),
  define('toRawJson value', 'Compact JSON with <, > and & as they are.', {
    parameters: anything(1),
    returns: 'string',
    aliases: ['mustToRawJson'],
    call: (value: Value) => encoded(value, false),
    example: '{{toRawJson (dict "a" "<b>")}}',
  }),
  define(
    'fromJson text',
    'The value of JSON text, nil if it does not parse. Integers stay int; in Sprig they become float64.',
    {
      cost: JSON_TEXT,
      parameters: ['string'],
      call: (text: string) => orNull(() => decodeJson(text)),
      example: '{{(fromJson "{\\"a\\": [1, 2]}").a}}',
    },
  ),
  define('mustFromJson text', 'As fromJson; text that does not parse is an error.', {
    cost: JSON_TEXT,
    parameters: ['string'],
    call: decodeJson,
    example: '{{mustFromJson "[1, 2]"}}',
  }),
  define('toYaml value', "YAML with sorted keys, without the final line break (Helm's).", {
    cost: YAML,
    parameters: anything(1),
    returns: 'string',
    call: encodeYaml,
    example: '{{toYaml (dict "a" (list 1 2))}}',
  }),
]

function orEmpty(encode: () => string): string {
  try {
    return encode()
  } catch (error) {
    if (error instanceof GoError) return ''
    throw error
  }
}

function orNull(decode: () => Value): Value {
  try {
    return decode()
  } catch (error) {
    if (error instanceof GoError) return null
    throw error
  }
}

/** Shorter texts are parsed in a fraction of what one call may take, whatever is in them. */
const LONG_JSON = 64 << 10
const PER_CHARACTER = 5
/**
 * What it takes to parse what a mark begins, in nanoseconds. A name takes most where one object has many, or where objects have
 * others each.
 */
const PER_MARK = Uint16Array.from({ length: 128 }, (_, code) => {
  return { '[': 60, '{': 60, ',': 20, ':': 1_000 }[String.fromCharCode(code)] ?? 0
})

/** `JSON.parse` cannot be ended half way. @throws LimitError for a text that would take it too long */
function checkParseTime(text: string): void {
  if (text.length < LONG_JSON) return
  let units = text.length * PER_CHARACTER
  for (let i = 0; i < text.length; i++) units += PER_MARK[text.charCodeAt(i)] ?? 0
  if (units > MAX_PARSE_UNITS) throw new LimitError('width', 'JSON with more values than one call may parse')
}

function decodeJson(text: string): Value {
  checkParseTime(text)
  try {
    return parseJson(text)
  } catch (cause) {
    throw new GoError(`invalid JSON: ${errorMessage(cause)}`)
  }
}

/** The text of a value, to be kept: in a variable, or until what comes before it is known. */
function encoded(value: Value, escapeHtml: boolean, newline?: string): string {
  return inOnePiece(encodeJson(value, escapeHtml, newline))
}

/** encoding/json's Marshal; `newline` is a line break with the indentation so far, for the pretty form. */
function encodeJson(value: Value, escapeHtml: boolean, newline?: string, depth = 0): string {
  checkNesting(depth)
  if (value instanceof Stringer)
    return encodeText(value instanceof GoTime ? value.toJSON() : value.text(), escapeHtml)
  if (typeof value === 'string') return encodeText(value, escapeHtml)
  switch (kindOf(value)) {
    case 'invalid':
      return 'null'
    case 'bool':
      return String(value)
    case 'int':
    case 'uint':
      return formatInt(numberOf(value))
    case 'float':
      return encodeFloat(Number(numberOf(value)))
    case 'slice':
      return encodeList(value, escapeHtml, newline, depth)
    case 'map':
      return encodeMap(value, escapeHtml, newline, depth)
    default:
      throw new GoError('json: unsupported type: func')
  }
}

function encodeList(value: Value, escapeHtml: boolean, newline: string | undefined, depth: number): string {
  if (value instanceof Typed && value.type === '[]uint8') {
    return `"${Buffer.from(itemsOf(value).map(Number)).toString('base64')}"`
  }
  const inner = newline === undefined ? undefined : newline + PRETTY_INDENT
  const parts = elementsOf(value).map((item) => encodeJson(item, escapeHtml, inner, depth + 1))
  return enclose('[', parts, ']', newline)
}

function encodeMap(value: Value, escapeHtml: boolean, newline: string | undefined, depth: number): string {
  const entries = entriesOf(value)
  const inner = newline === undefined ? undefined : newline + PRETTY_INDENT
  const separator = newline === undefined ? ':' : ': '
  const parts = sortedKeys(entries).map((key) => {
    const item = encodeJson(elementOf(value, entries[key]), escapeHtml, inner, depth + 1)
    return encodeText(key, escapeHtml) + separator + item
  })
  return enclose('{', parts, '}', newline)
}

/** Not joined at every depth: what is added is copied once, at the end. */
function enclose(open: string, parts: readonly string[], close: string, newline: string | undefined): string {
  const inner = newline === undefined ? '' : newline + PRETTY_INDENT
  let text = open
  let between = inner
  for (const part of parts) {
    text += between + part
    between = `,${inner}`
  }
  checkLength(text.length)
  return text + (newline === undefined || parts.length === 0 ? '' : newline) + close
}

function encodeText(text: string, escapeHtml: boolean): string {
  const escaped = rewrite(normalizeBytes(text), ESCAPED, (character) => {
    if (!escapeHtml && '<>&'.includes(character)) return character
    const code = character.charCodeAt(0)
    if (code >= 0xd800 && code <= 0xdfff) return '\\ufffd'
    return SHORT_ESCAPES[character] ?? `\\u${code.toString(16).padStart(4, '0')}`
  })
  return `"${escaped}"`
}

/** ES6 number format, as encoding/json writes floats. */
function encodeFloat(value: number): string {
  if (!Number.isFinite(value)) throw new GoError(`json: unsupported value: ${formatFloat(value, 'g', -1)}`)
  const magnitude = Math.abs(value)
  if (magnitude >= 1e-6 && magnitude < 1e21) return String(value)
  if (magnitude !== 0) {
    return formatFloat(value, 'e', -1).replace(/e-0(\d)$/, 'e-$1')
  }
  return formatFloat(value, 'f', -1)
}

function encodeYaml(value: Value): string {
  const text = yaml().stringify(plain(value, 0), {
    sortMapEntries: (a, b) => (String(a.key) < String(b.key) ? -1 : 1),
    indentSeq: false,
    lineWidth: 0,
    aliasDuplicateObjects: false,
  })
  return text.replace(/\n$/, '')
}

/** A value without the boxes of Go types. */
function plain(value: Value, depth: number): unknown {
  if (depth > MAX_YAML_NESTING) {
    throw new LimitError('depth', `YAML nested deeper than ${MAX_YAML_NESTING} levels`)
  }
  if (value instanceof Stringer) return value.text()
  if (typeof value === 'string') return Buffer.from(toBytes(value)).toString()
  switch (kindOf(value)) {
    case 'invalid':
      return null
    case 'slice':
      return elementsOf(value).map((item) => plain(item, depth + 1))
    case 'map':
      return new Map(Object.entries(entriesOf(value)).map(([key, item]) => [key, plain(item, depth + 1)]))
    case 'int':
    case 'uint':
    case 'float':
      return numberOf(value)
    default:
      return value
  }
}
