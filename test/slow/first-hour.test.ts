import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const run = promisify(execFile)
const root = resolve(import.meta.dirname, '../..')

it('a newcomer gets through the first hour with the packed package alone', { timeout: 600_000 }, async () => {
  const { stdout } = await run(process.execPath, ['scripts/first-hour.mjs'], { cwd: root }).catch(
    (error: { stdout: string }) => error,
  )
  expect(stdout).toMatch(/\n15 passed, 0 failed\n$/)
})
