import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { publishedApi } from '../../support/published-api.js'
import { renamingMappers } from '../../support/renaming-mappers.js'
import { slowIt } from '../../support/slow-it.js'

const SOURCE = resolve(import.meta.dirname, '../../../src')

function filesBelow(folder: string): readonly (readonly [file: string, text: string])[] {
  return readdirSync(join(SOURCE, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => [join(folder, file), readFileSync(join(SOURCE, folder, file), 'utf8')] as const)
}

/** Maximum number of lines of a function that answers requests, its signature included. */
const MAX_LINES = 40
const FUNCTION =
  /^(\s*)(?:(?:export )?(?:async )?function \w+|return (?:async )?(?:\(|\w+ =>)|(?:async )?#?\w+\([^)]*\).* \{$)/

/** Functions of more lines than these, by their first line: Biome's formatting ends each in the column where it begins. */
function longFunctions(text: string, most: number): readonly string[] {
  const lines = text.split('\n')
  return lines.filter((line, first) => {
    const indent = FUNCTION.exec(line)?.[1]
    if (indent === undefined) return false
    const length = lines.slice(first + 1).findIndex((other) => other.startsWith(`${indent}}`))
    return length + 2 > most
  })
}

/** An interface or object type that is written out, with its fields. */
const WRITTEN =
  /^(?:export )?(?:interface (\w+)(?:<.*>)?(?: extends [^{]+)?|type (\w+)(?:<.*>)? =(?: [\w.<>]+ &)?) \{\n((?: {2}.*\n|\n)*?)\}/gm
const FIELD = /^ {2}(?:readonly )?(\w+)\??:/gm

function typesIn(text: string): readonly (readonly [name: string, fields: string])[] {
  return [...text.matchAll(WRITTEN)].map(([, one, other, body = '']) => {
    const fields = [...body.matchAll(FIELD)].map(([, field = '']) => field)
    return [one ?? other ?? '', fields.sort().join(' ')] as const
  })
}

/** The fields of each shape of the wire, as far as they distinguish it. */
const shapes = new Map(
  Object.entries<{ readonly properties?: object }>(publishedApi().components.schemas).flatMap(
    ([name, { properties = {} }]) => {
      const fields = Object.keys(properties)
      return fields.length < 3 ? [] : [[fields.sort().join(' '), name] as const]
    },
  ),
)

/** What has the fields of a shape, and is something else. */
const OTHERS = new Set([
  // Calls as models write them: their arguments are text, or not read yet.
  ...['WrittenCall', 'RawCall'],
  // What is stored, which releases before and after this one read.
  ...['StoredMessage', 'HistoryTarget'],
  // What was read of a request, and the properties of a component.
  ...['PromptReference', 'AboutProps'],
])

describe('the wire', () => {
  it('is answered by short functions', () => {
    const long = ['http/routes', 'http/handlers'].flatMap((folder) =>
      filesBelow(folder).flatMap(([file, text]) =>
        longFunctions(text, MAX_LINES).map((line) => `${file}: ${line.trim()}`),
      ),
    )
    expect(long).toEqual([])
  })

  it('would notice a closure that is a whole file', () => {
    const body = Array.from({ length: MAX_LINES }, (_, line) => `    const a${line} = 1`)
    const closure = ['export function routes() {', '  return async (server) => {', ...body, '  }', '}']
    expect(longFunctions(closure.join('\n'), MAX_LINES)).toEqual(closure.slice(0, 2))
    expect(longFunctions(['function short() {', '  return 1', '}', ...body].join('\n'), MAX_LINES)).toEqual(
      [],
    )
  })

  it('has no shape a second time as a type that is written by hand', () => {
    const pairs = readdirSync(SOURCE, { withFileTypes: true })
      .flatMap((entry) => (entry.isDirectory() && entry.name !== 'schema' ? [entry.name] : []))
      .flatMap(filesBelow)
      // Written from the document.
      .filter(([file]) => file !== 'client/service-types.ts')
      .flatMap(([file, text]) =>
        typesIn(text).flatMap(([name, fields]) => {
          const shape = shapes.get(fields)
          return shape === undefined || OTHERS.has(name) ? [] : [`${file}: ${name} is ${shape}`]
        }),
      )
    expect(pairs).toEqual([])
  })

  it('would notice one', () => {
    const [fields = '', name] = [...shapes].find(([, each]) => each === 'Usage') ?? []
    const members = fields.split(' ').map((field) => `  readonly ${field}: number\n`)
    const text = `/** Tokens. */\nexport interface Tokens {\n${members.join('')}}\n`
    expect([name, typesIn(text)]).toEqual(['Usage', [['Tokens', fields]]])
    expect(typesIn(text.replace('interface Tokens', 'type Tokens ='))).toEqual([['Tokens', fields]])
  })
})

/** Functions that rename the fields of one shape, and have to. */
const RENAMED = [
  // Token counts of the library have names of TypeScript, and of the wire those of OpenAI.
  'agents/cycle/turn-event.ts: input_tokens: inputTokens, output_tokens: outputTokens, cached_tokens: cachedTokens',
  // A stretch of a render's time line is called by its function.
  'prompts/explain.ts: name: function, start_ms: start_ms, duration_ms: duration_ms',
  // A line of the log has the log's names.
  'registry/log-conditions.ts: document: location, error: message, line: line, column: column',
]

describe('a shape', () => {
  slowIt('has one form: no function only renames its fields', () => {
    const found = filesBelow('').flatMap(([file, text]) =>
      renamingMappers(text, file.endsWith('x') ? 'tsx' : 'ts').map((fields) => `${file}: ${fields}`),
    )
    expect(found.sort()).toEqual(RENAMED)
  })

  it.each([
    ['const toWire = (turn: Turn) => ({ ended_by: turn.endedBy, turn: turn.turn })', true],
    ['const toWire = ({ endedBy, turn }: Turn) => ({ ended_by: endedBy, turn })', true],
    ['function toWire(turn: Turn): Wire {\n  return { ended_by: turn.endedBy, turn: turn.turn }\n}', true],
    [
      'function toWire(of: Turn) {\n  const { endedBy, turn } = of\n  return { ended_by: endedBy, turn }\n}',
      true,
    ],
    // A name of its own for each.
    ['const f = ({ kind, id, turn }: Lease) => ({ [kind]: id, turn })', false],
    ['turns.map((turn) => ({ ended_by: turn.endedBy, turn: turn.turn }))', true],
    ['const toWire = ({ a, b }: T) => ({ a_b: a, ...(b !== undefined && { b }) })', true],
    // Takes some fields.
    ['const shown = ({ id, name }: Agent) => ({ id, name })', false],
    ['const toWire = ({ cause }: T) => ({ ended_by: cause })', false],
    ['const toWire = ({ at, by }: T) => ({ ended_at: at.toISOString(), by })', false],
    ['const toWire = ({ at, by }: T) => ({ type: "turn.ended", ended_at: at, by })', false],
    ['const toWire = (turn: Turn, at: number) => ({ ended_by: turn.endedBy, at })', false],
    ['function f(of: T) {\n  const by = who()\n  return { ended_by: by, turn: of.turn }\n}', false],
  ])('tells of %j whether it only renames', (text, expected) => {
    expect(renamingMappers(text)).toHaveLength(expected ? 1 : 0)
  })
})
