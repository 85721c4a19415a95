import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { SLICES } from '../../../src/util/slices/budgets.js'
import { createMetrics } from '../../../src/util/telemetry/metrics.js'
import { codeOf, importsOf, SOURCES } from '../../support/imports.js'

const root = resolve(import.meta.dirname, '../../..')
const files = SOURCES.filter((file) => !file.startsWith('ui/'))

const having = (pattern: RegExp) => files.filter((file) => pattern.test(codeOf(file))).toSorted()

/** A second budget for holding the event loop: a number of its own, or work cut by one that the table does not have. */
const OWN_SLICE =
  /\bconst \w*(?:SLICE|STRETCH|TURN)\w*_MS(?:: number)? = [\d.]+\b|(?<!function )\bcreateSlicer\((?!\)|SLICES\.|SLICE_MS\b|\w+\.options\.sliceMs\b|sliceMs\b)/
/** A second type of sliced work. */
const OWN_SLICED = /(?<!Async)\bGenerator<void\b/
/** How long something took, compared with a number of its own. */
const OWN_LIMIT_OF_TIME =
  /(?:\bnow|#now|\belapsed)\(\) - [^;\n]{1,60}?[<>]=? (?!SLICES\.)(?:[A-Z][A-Z_]*_MS\b|\d)/

describe('giving way', () => {
  it('has one table of how long the event loop may be held, one type of sliced work, and its drivers', () => {
    expect(having(OWN_SLICE)).toEqual(['util/slices/budgets.ts'])
    expect(having(OWN_SLICED)).toEqual(['util/slices/sliced.ts'])
    // Between two signals, two lines of a log, and two reads of a stream.
    expect(having(OWN_LIMIT_OF_TIME)).toEqual([
      'cli/signals.ts',
      'registry/mirror.ts',
      'transport/coalesced-reads.ts',
    ])
  })

  it('names for each exception the section of the results that shows what it is for', () => {
    const results = readFileSync(join(root, 'test/bench/results.md'), 'utf8')
    const titles = [...results.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) => title)
    const lost = Object.values(SLICES).filter(
      ({ measuredBy }) => !titles.some((title) => title.startsWith(measuredBy)),
    )
    expect(lost).toEqual([])
  })

  it.each([
    ['const SLICE_MS = 4', true],
    ['const BUSY_SLICE_MS = 0.5', true],
    ['const STRETCH_MS: number = 3', true],
    ['const slicer = createSlicer(7)', true],
    ['const slicer = createSlicer(PATIENCE_MS, now)', true],
    ['const slicer = createSlicer(SLICES.part.ms)', false],
    ['const slicer = createSlicer()', false],
    ['const FREE_MS = SLICES.render.ms', false],
  ])('tells of %j whether it is a slice of its own', (text, expected) =>
    expect(OWN_SLICE.test(text)).toBe(expected),
  )

  it.each([
    ['if (now() - since > MAX_HOLD_MS) return', true],
    ['return performance.now() - this.#startedAt >= 4', true],
    ['return this.#now() - this.#turnAt > SLICES.turn.ms', false],
    ['const durationMs = now() - startedAt', false],
  ])('tells of %j whether it is a limit of time of its own', (text, expected) =>
    expect(OWN_LIMIT_OF_TIME.test(text)).toBe(expected),
  )
})

describe('a charged call', () => {
  it('has one protocol of a charged call: what a call costs and whether it may begin is asked in one file', () => {
    const asking = (pattern: RegExp) =>
      files.filter((file) => file.startsWith('template/') && pattern.test(codeOf(file)))
    expect(asking(/(?<!function )\bcostOfCall\(/)).toEqual(['template/run/charged-call.ts'])
    // A loop is charged for its keys, and calls nothing.
    expect(asking(/\.admits\(/)).toEqual(['template/run/charged-call.ts', 'template/run/open-loop.ts'])
    // A light call and a function, whose arguments are there, enter the protocol where it charges.
    expect(asking(/(?<!function )\bperformCharged\(/)).toEqual([
      'template/run/call-builtin.ts',
      'template/run/calls.ts',
      'template/run/charged-call.ts',
    ])
  })
})

/** A bound that other files know. */
const SHARED_BOUND = /^export const (?:MAX|LONGEST|DEFAULT_MAX)_\w+/m
/** How deep JSON of others may be nested, as a number of its own. */
const OWN_FOREIGN_DEPTH = /(?:\bmaxDepth: |(?:DEPTH|LEVELS) = )200\b/
/** A number in a text, but a status of HTTP. */
const NUMBER_IN_TEXT = /\b(?!(?:408|503)\b)\d[\d,]*\b/g

describe('limits', () => {
  it('has the bounds of a room in its limits.ts, and one depth for the JSON of others', () => {
    const scattered = having(SHARED_BOUND).filter((file) => !/^[\w-]+\/limits\.ts$/.test(file))
    expect(scattered).toEqual([])
    expect(having(OWN_FOREIGN_DEPTH)).toEqual(['util/limits.ts'])
  })

  it.each([
    [SHARED_BOUND, 'export const MAX_KEYS_BYTES = 4 * 1024', true],
    [SHARED_BOUND, 'const MAX_SHOWN = 20', false],
    [OWN_FOREIGN_DEPTH, 'const BOUNDS = { maxValues: 1_000, maxDepth: 200 }', true],
    [OWN_FOREIGN_DEPTH, 'const MAX_DEPTH = 200', true],
    [OWN_FOREIGN_DEPTH, 'const BOUNDS = { maxValues: 10_000, maxDepth: 32 }', false],
  ])('tells by %s of %j whether it is a bound of its own', (pattern, text, expected) =>
    expect(pattern.test(text)).toBe(expected),
  )

  it('writes the page of limits from the limits of the rooms and the settings alone', () => {
    const rows = readFileSync(join(root, 'scripts/bound-rows.ts'), 'utf8')
    const sources = [...rows.matchAll(/from '\.\.\/src\/([^']+)\.js'/g)].map(([, source = '']) => source)
    const others = sources.filter(
      (source) => !/\/limits$|^schema\/|^template\/cost$|\/tool-settings$/.test(source),
    )
    expect(sources.length).toBeGreaterThan(15)
    expect(others).toEqual([])
    const [, fixed = ''] = /function fixedBoundRows\(\)([\s\S]*?)\n\}\n/.exec(rows) ?? []
    expect(fixed.replace(/\$\{[^}]*\}/g, '').match(NUMBER_IN_TEXT)).toBeNull()
  })
})

/** Whether a quote is escaped, found out again; brackets of JSON by their codes; a second table of what a scanner stops at. */
const OWN_JSON_SCANNER =
  /\bcharCodeAt\([^)]*- 1\) === BACKSLASH\b|\bcharAt\([^)]*- 1\) === '\\\\'|\+= \w+\[\w+\] === '\\\\' \? 2 : 1|\bconst (?:LIST|OBJECT|OPENING|CLOSING)\w*(?:OPEN|CLOSE|BRACKET)\w* = 0x/
/** Compares characters with what a reader of JSON text stops at: quotes, backslashes, and brackets of objects or lists. */
const READS_JSON_TEXT = [
  /[!=]== '"'|\b(?:DOUBLE_)?QUOTE\b|0x22\b|case '"'/,
  /[!=]== '\\\\'|\bBACKSLASH\b|0x5c\b|case '\\\\'/,
  /[!=]== '[[{}\]]'|0x[57][bd]\b|case '[[{}\]]'|\b(?:OBJECT|LIST)_(?:OPEN|CLOSE)\b/,
] as const
const readsJsonText = (code: string) => READS_JSON_TEXT.every((pattern) => pattern.test(code))
/** A walk down a path of JSON, or the escapes of a JSON pointer, written out again. */
const OWN_PATH_WALK =
  /\b(\w+) = \1\?\.\[\w+\]|\breduce<JsonValue \| undefined>\(\s*(?:memberOf|\(\w+, name\) => \(?isJsonObject)|\bvalue = (?:isJsonObject\(value\) \? )?(?:own|memberOf)\(value, \w+\)|replaceAll\('~|'~[01]'/

describe('JSON text', () => {
  it('has one scanner of JSON text, and one way down a path of JSON', () => {
    // Boxes are LaTeX's, and have no strings.
    expect(having(OWN_JSON_SCANNER)).toEqual(['protocols/boxed.ts', 'util/json/cursor.ts'])
    // The first two look for one member, and read Python; the others are the scanner and the check that makes nothing.
    expect(files.filter((file) => readsJsonText(codeOf(file))).toSorted()).toEqual([
      'llm/sent-body.ts',
      'protocols/read-python-calls.ts',
      'util/json/cursor.ts',
      'util/json/is-json-text.ts',
    ])
    expect(having(OWN_PATH_WALK)).toEqual(['util/json/json-path.ts'])
  })

  it.each([
    [OWN_JSON_SCANNER, 'while (at > from && text.charCodeAt(at - 1) === BACKSLASH) at -= 1', true],
    [
      OWN_JSON_SCANNER,
      "while (this.text.charAt(offset - backslashes - 1) === '\\\\') backslashes += 1",
      true,
    ],
    [OWN_JSON_SCANNER, "while (text[at] !== '\"') at += text[at] === '\\\\' ? 2 : 1", true],
    [OWN_JSON_SCANNER, 'const OPENING_BRACKET = 0x5b', true],
    [OWN_JSON_SCANNER, 'const cursor = new JsonCursor(STOPS, from)', false],
    [OWN_PATH_WALK, 'for (const name of path) value = value?.[name]', true],
    [OWN_PATH_WALK, 'path.reduce<JsonValue | undefined>(memberOf, value)', true],
    [OWN_PATH_WALK, "for (const name of path.split('.')) value = memberOf(value, name)", true],
    [OWN_PATH_WALK, 'value = isJsonObject(value) ? own(value, name) : undefined', true],
    [OWN_PATH_WALK, "part.replaceAll('~1', '/')", true],
    [OWN_PATH_WALK, 'const value = valueAt(response, path, memberOf)', false],
  ])('tells by %s of %j whether it is a second one', (pattern, text, expected) =>
    expect(pattern.test(text)).toBe(expected),
  )

  it('would notice a scanner in the usual form', () => {
    const scanner = `
      if (inString) {
        if (c === '\\\\') at += 1
        else if (c === '"') inString = false
      } else if (c === '{') depth += 1`
    expect(readsJsonText(scanner)).toBe(true)
    expect(readsJsonText(scanner.replace("'{'", "'('"))).toBe(false)
  })
})

/** Code that makes ajv, or a check of our own. */
const MAKES_AJV = /(?<!function )\bcreateFillingChecks\(/
const MAKES_CHECK = /(?<!function )\b(?:compileParts|new CheckRun)\(/

describe('validators', () => {
  // It generates code from a schema, at once and without bounds: schemas of other people must never reach it.
  it('uses the code-generating validator in one place only', () => {
    const using = files.filter((file) => /\bnew Ajv|from 'ajv\/dist/.test(codeOf(file)))
    expect(using).toEqual(['schema/ajv.ts'])
    const errors = files.filter((file) => /\bErrorObject\b|\binstancePath\b/.test(codeOf(file)))
    expect(errors).toEqual(['schema/ajv.ts'])
  })

  it('has two validators with one border: what the operator writes, and what others write or send', () => {
    expect(having(MAKES_AJV)).toEqual(['access/parse-keys.ts', 'config.ts', 'http/requests/validation.ts'])
    expect(having(MAKES_CHECK)).toEqual(['schema/json-schema.ts'])
    // One way to defaults, too: `compileDefaults`.
    expect(having(/\buseDefaults\b/)).toEqual([])
  })

  it.each([
    [MAKES_AJV, 'const check = createFillingChecks({ readsText: true })(schema)', true],
    [MAKES_AJV, 'export function createFillingChecks(options: Options = {}) {', false],
    [MAKES_CHECK, 'const check = compileParts(root, dialect, surveySchema(root))', true],
    [MAKES_CHECK, 'export function compileParts(', false],
  ])('tells by %s of %j whether it makes a validator', (pattern, text, expected) =>
    expect(pattern.test(text)).toBe(expected),
  )
})

/** Code that parses YAML with the package, or takes the package otherwise than as one that is read late. */
const PARSES_YAML =
  /\byaml\(\)\.(?:parse\w*|Lexer|Parser|Composer)\b|\{[^{}]*\b(?:parse\w*|Lexer|Parser|Composer)\b[^{}]*\} = yaml\(\)/
const TAKES_YAML = /^import (?!type\b)[^;]*? from 'yaml'|<typeof import\('yaml'\)>|\bimport\('yaml'\)(?!>)/m
/** A thread that is started. */
const STARTS_THREAD = /\bnew Worker\(/

describe('YAML', () => {
  it('is parsed in one file, within bounds and in pieces, and in one thread where it is long', () => {
    expect(having(PARSES_YAML)).toEqual(['util/yaml/parse-yaml.ts'])
    expect(having(TAKES_YAML)).toEqual(['util/yaml/yaml.ts'])
    expect(having(STARTS_THREAD)).toEqual(['cli/heartbeat/watch-loop.ts', 'util/asked-thread.ts'])
  })

  it.each([
    [PARSES_YAML, 'return yaml().parse(text) ?? {}', true],
    [PARSES_YAML, 'const document = yaml().parseDocument(text)', true],
    [PARSES_YAML, 'const { parseDocument, isMap } = yaml()', true],
    [PARSES_YAML, 'for (const lexeme of new (yaml().Lexer)().lex(text)) {', true],
    [PARSES_YAML, 'const { isMap, isSeq } = yaml()', false],
    [PARSES_YAML, 'yaml().stringify(value)', false],
    [TAKES_YAML, "import { parse } from 'yaml'", true],
    [TAKES_YAML, "const { parse } = await import('yaml')", true],
    [TAKES_YAML, "const yaml = lazyPackage<typeof import('yaml')>('yaml')", true],
    [TAKES_YAML, "import type { Document } from 'yaml'", false],
    [STARTS_THREAD, 'const thread = new Worker(THREAD)', true],
  ])('tells by %s of %j whether it is a second home', (pattern, text, expected) =>
    expect(pattern.test(text)).toBe(expected),
  )
})

/** A metric that is defined, with its name. */
const DEFINED_METRIC = /\b(?:counter|histogram|gauge)\(\s*'(\w+)'/g
/** A metric whose name is not written where it is defined. */
const COMPUTED_METRIC = /\bmetrics\.(?:counter|histogram|gauge)\(\s*(?!name\b)[^'\s]/
/** The client of Prometheus, or a registry of its own. */
const TAKES_CLIENT = /<typeof import\('prom-client'\)>|^import (?!type\b)[^;]*? from 'prom-client'/m

/** Each metric with the files that define it, once for each time. */
function definedMetrics(texts: ReadonlyMap<string, string>): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>()
  for (const [file, text] of texts)
    for (const [, name = ''] of text.matchAll(DEFINED_METRIC))
      found.set(name, [...(found.get(name) ?? []), file])
  return found
}

describe('metrics', () => {
  const texts = new Map(files.map((file) => [file, codeOf(file)]))
  const metrics = definedMetrics(texts)

  it('are defined once each, and nowhere else named', () => {
    expect([...metrics].filter(([, places]) => places.length > 1)).toEqual([])
    const named = [...metrics.keys()].map((name) => {
      const places = [...texts].filter(([, text]) => new RegExp(`(['"\`])${name}\\1`).test(text))
      return [name, places.map(([file]) => file)]
    })
    expect(named.filter(([, places]) => places?.length !== 1)).toEqual([])
  })

  it('are those of the page of metrics', () => {
    const page = readFileSync(join(root, 'docs/reference/metrics.md'), 'utf8')
    const [, table = ''] = /<!-- metrics -->([\s\S]*)<!-- \/metrics -->/.exec(page) ?? []
    const listed = [...table.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name)
    expect([...metrics.keys()].toSorted()).toEqual(listed.toSorted())
    expect(having(COMPUTED_METRIC)).toEqual([])
  })

  it('are kept in one set of a service, and the client of Prometheus writes them in one file', () => {
    expect(having(/(?<!function )\bcreateMetrics\(/)).toEqual(['app.ts', 'open-shell.ts'])
    expect(having(TAKES_CLIENT)).toEqual(['http/status/prometheus.ts'])
  })

  it('are refused a second time by the set that has them', () => {
    const set = createMetrics()
    set.counter('renders_total', 'Renders')
    expect(() => set.gauge('renders_total', 'Renders', () => 0)).toThrow('renders_total is defined already')
  })

  it('would be noticed a second time', () => {
    const twice = new Map([
      ['a.ts', "metrics.counter('renders_total', 'Renders')"],
      ['b.ts', "metrics.gauge(\n  'renders_total',\n  'Renders',\n)"],
    ])
    expect(definedMetrics(twice)).toEqual(new Map([['renders_total', ['a.ts', 'b.ts']]]))
  })

  it.each([
    [COMPUTED_METRIC, 'metrics.counter(`${room}_total`, help)', true],
    [COMPUTED_METRIC, 'metrics.counter(NAME, help)', true],
    [COMPUTED_METRIC, "metrics.counter(\n  'renders_total',", false],
    [TAKES_CLIENT, "import { Registry } from 'prom-client'", true],
    [TAKES_CLIENT, "const client = lazyPackage<typeof import('prom-client')>('prom-client')", true],
    [TAKES_CLIENT, "import type { Registry } from 'prom-client'", false],
  ])('tells by %s of %j whether it is a second home', (pattern, text, expected) =>
    expect(pattern.test(text)).toBe(expected),
  )
})

/** A package of the start as an import, for which Node.js searches the text of CommonJS for exports. */
const IMPORTS_AT_START = /^import (?!type\b)[^;']*? from '(?:fastify|pino|lossless-json|ajv-formats\/[^']+)'/m

describe('a package that the start needs', () => {
  it('is required where it is CommonJS, not imported', () => {
    expect(having(IMPORTS_AT_START)).toEqual([])
  })

  it.each([
    ["import Fastify, { type FastifyInstance } from 'fastify'", true],
    ["import { stringify } from 'lossless-json'", true],
    ["import { fullFormats } from 'ajv-formats/dist/formats.js'", true],
    ["import type { FastifyInstance } from 'fastify'", false],
  ])('tells of %j whether it is an import', (text, expected) =>
    expect(IMPORTS_AT_START.test(text)).toBe(expected),
  )
})

describe('the room of JSON', () => {
  it('has a line for each of its files', () => {
    const record = readFileSync(join(root, 'docs/explain/decisions/0020-json-text.md'), 'utf8')
    const rows = record.split('\n').filter((line) => line.startsWith('| `'))
    const described = rows.flatMap((row) =>
      [...(row.split('|')[1] ?? '').matchAll(/`([\w-]+\.ts)`/g)].map(([, file]) => `util/json/${file}`),
    )
    expect(described.toSorted()).toEqual(files.filter((file) => file.startsWith('util/json/')).toSorted())
  })
})

/** The client of Redis as code, not as types. */
const TAKES_REDIS =
  /<typeof import\('ioredis'\)>|^import (?!type\b)[^;']*? from 'ioredis'|\bimport\('ioredis'\)(?!>)/m

/** What a file imports, whatever these take in turn. */
function reachedFrom(file: string, imports: (file: string) => readonly string[]): ReadonlySet<string> {
  const reached = new Set<string>()
  const open = [file]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (reached.has(next)) continue
    reached.add(next)
    open.push(...imports(next))
  }
  return reached
}

describe('Redis', () => {
  const writes = (file: string) => file.startsWith('redis/writing/')

  it('is reached by a client that is made in one file', () => {
    expect(having(TAKES_REDIS)).toEqual(['redis/new-client.ts'])
  })

  it('is only read by the catalog: what it is loaded with reaches no connection that writes', () => {
    const reached = [...reachedFrom('store/redis-store.ts', importsOf)]
    expect(reached).toContain('redis/reading/catalog-clients.ts')
    expect(reached.filter(writes)).toEqual([])
    expect([...reachedFrom('registry/create-registry.ts', importsOf)].filter(writes)).toEqual([])
  })

  it('is written by state, the queue of tasks, and commands of people', () => {
    const writing = files.filter((file) => !writes(file) && importsOf(file).some(writes)).toSorted()
    expect(writing).toEqual([
      'cli/doctor/with-redis-server.ts',
      'cli/redis-documents.ts',
      'state/redis-connection.ts',
      'state/redis-subscriber.ts',
      'store/redis-writer.ts',
      'tasks/engine/open-queue.ts',
    ])
  })

  it('would be noticed where the catalog takes a connection that writes, however far away', () => {
    const graph = new Map([
      ['store/redis-store.ts', ['store/redis-access.ts']],
      ['store/redis-access.ts', ['redis/writing/state-clients.ts']],
    ])
    const reached = reachedFrom('store/redis-store.ts', (file) => graph.get(file) ?? [])
    expect([...reached].filter(writes)).toEqual(['redis/writing/state-clients.ts'])
  })

  it.each([
    ["import { Redis } from 'ioredis'", true],
    ["const client = lazyPackage<typeof import('ioredis')>('ioredis')", true],
    ["import type { Redis } from 'ioredis'", false],
  ])('tells of %j whether it takes the client', (text, expected) =>
    expect(TAKES_REDIS.test(text)).toBe(expected),
  )
})
