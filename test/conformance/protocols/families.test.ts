import { isDeepStrictEqual } from 'node:util'
import { describe, expect, it } from 'vitest'
import { readParts } from '../../../src/protocols/parse-calls.js'
import { toolProtocol } from '../../../src/protocols/tool-protocol.js'
import type { JsonObject } from '../../../src/util/json/json.js'
import { TEXT_PROTOCOLS } from '../../support/generated-calls.js'
import { HAS_TIME } from '../../support/has-time.js'
import { cutAt, readPieces, units } from '../../support/read-parts.js'
import { FAMILY_ROWS } from './family-rows.js'

const string = { type: 'string' }
const tool = (name: string, properties: JsonObject) => ({ name, parameters: { type: 'object', properties } })

const TOOLS = [
  tool('tide_at', {
    port: string,
    day: { type: 'integer' },
    exact: { type: 'boolean' },
    height: { type: 'number' },
  }),
  tool('save_note', { path: string, body: string }),
  tool('plan', {
    stops: { type: 'array' },
    options: {
      type: 'object',
      properties: {
        pace: { type: 'number' },
        via: { type: 'object', properties: { sea: { type: 'boolean' } } },
      },
    },
  }),
  tool('ping', {}),
]

/** What the rows of every family are about. */
const KINDS = [
  /^one call$/,
  /two calls/,
  /^nested$/,
  /^a value with/,
  /numbers and truth/,
  /^no arguments$/,
  /not known/,
  /^cut in/,
  /opening is missing/,
  /thought/,
  /does not have|wrong keys/,
  /in a fence/,
  /quotation marks/,
  /backticks/,
  /many languages/,
]

it('has a hundred texts with quoted calls, none of which is one', () => {
  const quoted = FAMILY_ROWS.filter(({ name }) =>
    /^in (?:a fence|backticks|double backticks|quotation|typographic|a block quote)/.test(name),
  )
  expect(quoted.length).toBeGreaterThanOrEqual(100)
  expect(quoted.filter(({ calls }) => calls.length > 0)).toEqual([])
})

describe.each(TEXT_PROTOCOLS)('%s', (id) => {
  const rows = FAMILY_ROWS.filter(({ protocol }) => protocol === id)

  it('has rows of every kind', () => {
    expect(rows.length).toBeGreaterThanOrEqual(25)
    const kinds = KINDS.filter((kind) => !rows.some(({ name }) => kind.test(name)))
    expect(kinds).toEqual([])
  })

  it.each(rows)('$name', ({ output, calls, text, reasoning, ids }) => {
    const read = (pieces: readonly string[]) => readPieces(toolProtocol(id).parser(TOOLS), pieces)
    const parts = read([output])
    const found = readParts(parts)
    expect(found.calls.map(({ name, arguments: args }) => [name, args])).toEqual(calls)
    const said = (kind: string) =>
      parts.flatMap((part) => ('text' in part && part.kind === kind ? [part.text] : [])).join('')
    if (text !== undefined) expect(said('text').trim()).toBe(text)
    if (reasoning !== undefined) expect(said('reasoning').trim()).toBe(reasoning)
    if (ids !== undefined) expect(found.calls.map((call) => call.id)).toEqual(ids)
    expect(read(units(output))).toEqual(parts)
    // At every place where there is time.
    for (let at = 1; at < output.length; at += HAS_TIME ? 1 : 32) {
      const cut = read(cutAt(output, at))
      if (!isDeepStrictEqual(cut, parts)) expect(cut).toEqual(parts)
    }
  })
})
