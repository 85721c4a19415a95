import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { IN_PART } from '../support/long-files.js'

const TESTS = join(import.meta.dirname, '..')
const FOLDERS = ['unit', 'conformance', 'integration', 'e2e', 'attacks', 'slow', 'clients']
/** An expectation of the clock: it fails on a busy machine. A table of the attacks or a benchmark measures such things. */
const OF_THE_CLOCK = /expect\([^\n]*\b(?:performance|Date)\.now\(\)[^\n]*\)\.toBeLess/

/** What tells how long a turn of the loop took, and who may ask: tables of costs and attacks, which `npm test` does not run. */
const TIMES_TURNS = /from '[./]+support\/loop-gaps\.js'/
const OF_COSTS = /^(?:attacks|slow)\b/

const files = FOLDERS.flatMap((folder) =>
  readdirSync(join(TESTS, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => join(folder, name)),
)

const offenders = (texts: readonly (readonly [name: string, text: string])[]) =>
  texts.filter(([, text]) => OF_THE_CLOCK.test(text)).map(([name]) => name)

describe('tests', () => {
  it('expect nothing of the clock', () => {
    expect(files.length).toBeGreaterThan(100)
    // A time that a server is given, not one that was measured.
    const given = join('integration', 'tools', 'grpc.test.ts')
    const texts = files.map((name) => [name, readFileSync(join(TESTS, name), 'utf8')] as const)
    expect(offenders(texts)).toEqual([given])
  })

  it('ask how long a turn of the event loop took where costs are measured only', () => {
    const asking = files.filter((name) => TIMES_TURNS.test(readFileSync(join(TESTS, name), 'utf8')))
    expect(asking.length).toBeGreaterThan(0)
    expect(asking.filter((name) => !OF_COSTS.test(name))).toEqual([])
  })

  it('are found out when they do', () => {
    const text = ['expect(performance.now() - startedAt)', '.toBeLessThan(200)']
    expect(offenders([['slow.test.ts', text.join('')]])).toEqual(['slow.test.ts'])
  })
})

/** What a test may watch or replace by vitest's spies and mocks: nothing of ours, and only what shows in no other way. */
const NOT_OURS: Readonly<Record<string, string>> = {
  'performance.now': 'a clock',
  'Date.now': 'a clock',
  'String.prototype.isWellFormed': 'how much of a text is read: a text tells nobody',
  'String.prototype.charCodeAt': 'how much of a text is read',
  'TextEncoder.prototype.encode': 'how much of a text is read',
  'LRUCache.prototype.set': 'a package that is stopped in the midst',
  'lru-cache': 'a package that is stopped in the midst',
  'RedisQueueBackend.prototype.moveToActive': 'a package whose question is never answered',
  'Redis.prototype.scanBuffer': 'what a client that the store opens itself holds on to',
  'connection.client.stream._writev': 'pieces that leave a socket: a network joins them',
  'codec.validateNotification': 'when a package builds what it reads messages with',
  'OutgoingMessage.prototype._storeHeader': 'whether Node writes a head itself',
}
const WATCHED = /\bvi\s*\.(?:spyOn\(\s*([\w.]+)[^,]*,\s*'(\w+)'|(?:do)?[mM]ock\(\s*'([^']+)')/g

const watchedIn = (text: string) =>
  [...text.matchAll(WATCHED)].map(([, target, method, module]) => module ?? `${target}.${method}`)

describe('spies', () => {
  it('watch nothing of ours', () => {
    const watched = files.flatMap((name) => watchedIn(readFileSync(join(TESTS, name), 'utf8')))
    expect([...new Set(watched)].sort()).toEqual(Object.keys(NOT_OURS).sort())
    const all = files.flatMap((name) => [
      ...readFileSync(join(TESTS, name), 'utf8').matchAll(/\bvi\s*\.(?:spyOn|(?:do)?[mM]ock)\(/g),
    ])
    expect(all).toHaveLength(watched.length)
  })

  it('are found out when they do', () => {
    const calls = ["spyOn(store, 'commit')", "mock('../../src/app.js')"].map((call) => `vi.${call}`)
    expect(watchedIn(calls.join('\n'))).toEqual(['store.commit', '../../src/app.js'])
  })
})

/** What makes a test larger where there is time. */
const LARGER = /from '[./]+support\/(?:has-time|some-runs|some-of|slow-it)\.js'/
/** What `npm run test:slow` has anyway. */
const WHOLE = /^(?:slow|attacks|clients|e2e\/playground|e2e\/workers)\b/

describe('tests of which `npm test` does a part', () => {
  it('are done whole by `npm run test:slow`', () => {
    const larger = files.filter((name) => LARGER.test(readFileSync(join(TESTS, name), 'utf8')))
    const named = larger.filter((name) => !WHOLE.test(name)).map((name) => join('test', name))
    expect(named.sort()).toEqual(IN_PART)
  })
})

/** A row of the requirements: its id, the file of its test, and words in that. */
const ROW = /^\| ([a-z-]+) \| .+ \| `([^`]+)` (.+) \|$/gm

describe('requirements', () => {
  const table = readFileSync(join(TESTS, 'requirements.md'), 'utf8')
  const rows = [...table.matchAll(ROW)].map(([, id = '', file = '', words = '']) => ({ id, file, words }))

  it('have one row each, which the check can read', () => {
    const lines = table.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| id '))
    expect(rows.length).toBeGreaterThan(50)
    expect(rows).toHaveLength(lines.length)
    expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length)
  })

  it('have a test that is there', () => {
    // A suite that several files run stands in a file of its own.
    const named = [...new Set(rows.map(({ file }) => join(TESTS, file)))].filter((path) => existsSync(path))
    const texts = new Map(named.map((path) => [path, readFileSync(path, 'utf8')]))
    const lost = rows.filter(({ file, words }) => texts.get(join(TESTS, file))?.includes(words) !== true)
    expect(lost).toEqual([])
  })
})

/** What a program takes from the build: the names in braces, and the file. */
const TAKEN =
  /(?:const|import) \{([^}]*)\} (?:= await \w+\((?:new URL\()?|from )\s*'(?:[./]*dist\/)?([a-z][\w/-]*\.js)'/g

/** Names that a file of the build does not export, of all that the text takes from it. */
function lostNames(text: string): readonly string[] {
  return [...text.matchAll(TAKEN)].flatMap(([, names = '', file = '']) => {
    const path = join(TESTS, '../src', file.replace(/\.js$/, '.ts'))
    const source = existsSync(path) ? readFileSync(path, 'utf8') : ''
    // A name with a default may be missing: the program runs older builds, too.
    const needed = names.split(',').filter((name) => name.trim() !== '' && !name.includes('='))
    const exported = (name: string) => new RegExp(`export [^=(;]*\\b${name}\\b`).test(source)
    return needed
      .map((name) => name.trim().split(':')[0] ?? '')
      .flatMap((name) => (exported(name) ? [] : [`${file}: ${name}`]))
  })
}

describe('benchmarks', () => {
  const programs = readdirSync(join(TESTS, 'bench'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.mjs'))
    .map((name) => readFileSync(join(TESTS, 'bench', name), 'utf8'))

  it('take from the build what is there', () => {
    expect(programs.flatMap((text) => [...text.matchAll(TAKEN)]).length).toBeGreaterThan(40)
    expect(programs.flatMap(lostNames)).toEqual([])
  })

  it('are found out when they do not', () => {
    const lost = "const { createMemoryState, gone } = await load('state/memory-state.js')"
    expect(lostNames(lost)).toEqual(['state/memory-state.js: gone'])
  })
})
