import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const SEARCH = join(import.meta.dirname, '../support/keys-in-heap.mjs')

// What is not there is not compared: no character of a key can take longer than another one to be found wrong. A comparison
// with keys themselves, however it is made, needs them, and they would be found.
it('nothing keeps the text of a key that it is to recognise: keys are found by their digests', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [SEARCH])
  const { kept, ...found } = JSON.parse(stdout)
  expect(found).toEqual({ plain: 0, named: 0 })
  expect(kept).toBeGreaterThan(0)
})
