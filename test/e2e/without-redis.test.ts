import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '../..')

it('tests without a Redis say what to do, and install nothing unasked', () => {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['node_modules/vitest/vitest.mjs', 'run', 'test/unit/util'],
    {
      cwd: root,
      encoding: 'utf8',
      env: { ...process.env, PATH: '/nonexistent', TEST_INSTALL_REDIS: '', TEST_INSTALL_CHROMIUM: '' },
    },
  )
  const said = stdout + stderr
  expect([status, said]).toEqual([1, expect.stringContaining('put redis-server or valkey-server on PATH')])
  expect(said).not.toMatch(/TypeError|Installing/)
})
