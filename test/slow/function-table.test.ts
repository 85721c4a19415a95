import { describe, expect, it } from 'vitest'
import { compile } from '../../src/template/index.js'
import { functionLibrary } from '../../src/template/library/function-library.js'
import { callsWith, createLargeValues, TABLE_FUNCTIONS } from '../support/function-table.js'
import { longestTurn } from '../support/loop-gaps.js'

/** The promise is 50; the machine may be busy, and the collector's own threads count too. */
const LONGEST_MS = 100
const ATTEMPTS = 4
const values = createLargeValues()

async function best(source: string, data: object): Promise<number> {
  let longest = Number.POSITIVE_INFINITY
  for (let i = 0; i < ATTEMPTS && longest > LONGEST_MS; i++) {
    longest = Math.min(longest, await longestTurn(() => attempt(source, data)))
  }
  return longest
}

async function attempt(source: string, data: object): Promise<void> {
  try {
    await compile(source, { functions: functionLibrary }).render(data, { deadlineMs: 100 })
  } catch {
    // What becomes of it is for others to test.
  }
}

describe.each(TABLE_FUNCTIONS)('$name', (row) => {
  it('holds up nobody, whatever it is given', { timeout: 120_000 }, async () => {
    for (const { source, data } of callsWith(row, values)) {
      expect(await best(`{{$x := ${source}}}`, data), source).toBeLessThan(LONGEST_MS)
      const inLoop = `{{range 1000000}}{{$x := ${source.replace('.large', '$.large')}}}{{end}}`
      expect(await best(inLoop, data), `${source} in a loop`).toBeLessThan(LONGEST_MS)
    }
  })
})
