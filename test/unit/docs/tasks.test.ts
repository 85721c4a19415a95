import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ENDINGS } from '../../../src/tasks/next-phase.js'

it('lists every ending, as the code has it', () => {
  const text = readFileSync(join(import.meta.dirname, '../../../docs/guides/tasks.md'), 'utf8')
  const rows = [...text.matchAll(/^\| `(\w+)` \| `(\w+)` \| (.+) \|$/gm)].map((row) => row.slice(1))
  expect(rows).toEqual(Object.entries(ENDINGS).map(([name, { status, meaning }]) => [name, status, meaning]))
})
