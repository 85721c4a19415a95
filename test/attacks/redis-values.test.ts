import { afterEach, expect, it } from 'vitest'
import type { Registry } from '../../src/registry/registry.js'
import { openMirror } from '../support/redis-mirror.js'
import { type RedisServer, startRedisServer } from '../support/redis-server.js'
import { waitUntil } from '../support/wait-until.js'

let server: RedisServer | undefined
let registry: Registry | undefined

afterEach(async () => {
  await registry?.close()
  await server?.stop()
})

const ACL = '--user default off --user blind on >sesam ~other:* +@all -scan'.split(' ')

it.each([
  { name: 'no password', args: ['--requirepass', 'sesam'], user: '', says: 'asks for a password' },
  {
    name: 'a wrong password',
    args: ['--requirepass', 'sesam'],
    user: ':open@',
    says: 'does not accept the user',
  },
  { name: 'a user without rights', args: ACL, user: 'blind:sesam@', says: 'may not read the documents' },
])('says why it reads nothing: $name', async ({ args, user, says }) => {
  const warnings: string[] = []
  const log = { info: () => {}, warn: (facts: object) => void warnings.push(JSON.stringify(facts)) }
  server = await startRedisServer({ args })
  registry = openMirror(`redis://${user}127.0.0.1:${server.port}`, { log })
  await waitUntil(() => warnings.some((warning) => warning.includes(says)), 'the warning')
  expect(registry.status).toMatchObject({ ready: false, store: { detail: expect.stringContaining(says) } })
  expect(warnings.join()).not.toContain('sesam')
})
