import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createMetrics } from '../../../src/util/telemetry/metrics.js'
import { codeOf, importsOf, SOURCES } from '../../support/imports.js'

const root = resolve(import.meta.dirname, '../../..')
const files = SOURCES.filter((file) => !file.startsWith('ui/'))

const having = (pattern: RegExp) => files.filter((file) => pattern.test(codeOf(file))).toSorted()

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
    expect(having(STARTS_THREAD)).toEqual(['cli/heartbeat/watch-loop.ts', 'util/yaml/yaml-reader.ts'])
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
