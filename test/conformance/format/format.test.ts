import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { htmlEscape, jsEscape, urlQueryEscape } from '../../../src/template/format/escape.js'
import { fromBytes } from '../../../src/template/format/from-bytes.js'
import { sprint, sprintln } from '../../../src/template/format/sprint.js'
import { sprintf } from '../../../src/template/format/sprintf.js'
import { Complex, Typed, toFloat, type Value } from '../../../src/template/value.js'

type Row = readonly [operation: string, format: unknown, values: readonly unknown[], expected: unknown]

const OPERATIONS: Readonly<Record<string, (format: string, values: Value[]) => string>> = {
  sprintf: (format, values) => sprintf(format, values),
  sprint: (_, values) => sprint(values),
  sprintln: (_, values) => sprintln(values),
  html: (_, values) => htmlEscape(...values),
  js: (_, values) => jsEscape(...values),
  urlquery: (_, values) => urlQueryEscape(...values),
}

const rows = readFileSync(join(import.meta.dirname, 'expected.jsonl'), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as Row)

/** Reads a value back in the form of its Go type; see `encode` in oracle.go. */
function decode(value: unknown): Value {
  if (Array.isArray(value)) return value.map(decode)
  if (typeof value !== 'object' || value === null) return value
  const [type, inner] = Object.entries(value)[0] as [string, unknown]
  switch (type) {
    case 'bytes':
      return fromBytes(Buffer.from(inner as string, 'hex'))
    case 'int':
      return BigInt(inner as string)
    case 'float64':
      return toFloat(parseFloat64(inner as string))
    case 'map':
      return Object.fromEntries(Object.entries(inner as object).map(([key, item]) => [key, decode(item)]))
    case 'complex128': {
      const [real, imaginary] = (inner as readonly { readonly float64: string }[]).map(
        ({ float64 }) => float64,
      )
      return new Complex(parseFloat64(real as string), parseFloat64(imaginary as string))
    }
    case 'float32':
      return new Typed(type, Math.fround(Number(inner)))
    default:
      return new Typed(type, typeof inner === 'string' ? BigInt(inner) : inner)
  }
}

function parseFloat64(text: string): number {
  return text === '+Inf'
    ? Number.POSITIVE_INFINITY
    : text === '-Inf'
      ? Number.NEGATIVE_INFINITY
      : Number(text)
}

function run([operation, format, values]: Row): string {
  const implementation = OPERATIONS[operation]
  if (implementation === undefined) throw new Error(`unknown operation ${operation}`)
  return implementation(decode(format) as string, values.map(decode))
}

describe('fmt and the escapers print what Go prints', () => {
  for (const operation of Object.keys(OPERATIONS)) {
    const own = rows.filter((row) => row[0] === operation)

    it(`${operation}, ${own.length} rows`, () => {
      expect(own.length).toBeGreaterThan(0)
      const failures = own
        .map((row) => ({ row: JSON.stringify(row.slice(1, 3)), got: run(row), want: decode(row[3]) }))
        .filter(({ got, want }) => got !== want)
      expect(failures).toEqual([])
    })
  }
})
