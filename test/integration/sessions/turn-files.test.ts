import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { expect, inject, it } from 'vitest'

const root = resolve(import.meta.dirname, '../../..')
/** A turn that runs through fewer did not run. */
const LEAST = 30

it('a stored turn runs through no more source files than it did: each is one more to read', () => {
  const env = { ...process.env, REDIS_URL: inject('redisUrl') }
  const ran = spawnSync(process.execPath, ['scripts/turn-files.mjs'], { cwd: root, env, encoding: 'utf8' })
  const [, count = '0'] = /^(\d+) files; at most /m.exec(ran.stdout) ?? []
  expect(Number(count)).toBeGreaterThan(LEAST)
  expect(ran.status, ran.stdout + ran.stderr).toBe(0)
})
