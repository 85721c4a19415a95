import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const TESTS = join(import.meta.dirname, '..')
const FOLDERS = ['unit', 'conformance', 'integration', 'e2e', 'attacks', 'slow']
/** An expectation of the clock: it fails on a busy machine. A table of the attacks or a benchmark measures such things. */
const OF_THE_CLOCK = /expect\([^\n]*\b(?:performance|Date)\.now\(\)[^\n]*\)\.toBeLess/

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

  it('are found out when they do', () => {
    const text = ['expect(performance.now() - startedAt)', '.toBeLessThan(200)']
    expect(offenders([['slow.test.ts', text.join('')]])).toEqual(['slow.test.ts'])
  })
})
