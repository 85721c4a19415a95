import { describe, expect, it } from 'vitest'
import { compile } from '../../src/template/index.js'
import { functionLibrary } from '../../src/template/library/function-library.js'
import { callsWith, createLargeValues, TABLE_FUNCTIONS } from '../support/function-table.js'
import { longestTurn } from '../support/loop-gaps.js'

/** What is promised of the third worst. */
const LONGEST_MS = 50
const ATTEMPTS = 5
const values = createLargeValues()

/** The third worst of the attempts; fewer once it is clear that it is within the bound. */
async function thirdWorst(source: string, data: object): Promise<number> {
  const longest: number[] = []
  const within = () => longest.filter((ms) => ms < LONGEST_MS).length
  while (longest.length < ATTEMPTS && within() < ATTEMPTS - 2)
    longest.push(await longestTurn(() => attempt(source, data)))
  return longest.sort((a, b) => a - b)[ATTEMPTS - 3] ?? 0
}

async function attempt(source: string, data: object): Promise<void> {
  try {
    await compile(source, { functions: functionLibrary }).render(data, { deadlineMs: 100 })
  } catch {
    // What becomes of it is for others to test.
  }
}

describe.each(TABLE_FUNCTIONS)('$name', (row) => {
  it('holds up nobody, whatever it is given', { timeout: 300_000 }, async () => {
    for (const { source, data } of callsWith(row, values)) {
      expect(await thirdWorst(`{{$x := ${source}}}`, data), source).toBeLessThan(LONGEST_MS)
      const inLoop = `{{range 1000000}}{{$x := ${source.replace('.large', '$.large')}}}{{end}}`
      expect(await thirdWorst(inLoop, data), `${source} in a loop`).toBeLessThan(LONGEST_MS)
    }
  })
})
