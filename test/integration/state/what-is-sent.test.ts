import { Redis } from 'ioredis'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { HookExecutor } from '../../../src/agents/hook-executor.js'
import { HookedModel } from '../../../src/agents/hooked-model.js'
import { PLAIN_AGENT } from '../../../src/agents/plain-agent.js'
import { UNOBSERVED } from '../../../src/agents/sessions/session-runtime.js'
import { Sessions } from '../../../src/agents/sessions/sessions.js'
import { parseRedisUrl } from '../../../src/redis/redis-url.js'
import { RedisConnection } from '../../../src/state/redis-connection.js'
import { createRedisState } from '../../../src/state/redis-state.js'
import { ScriptCall } from '../../../src/state/script-call.js'
import { createScriptedModel } from '../../../src/testing/scripted-model.js'
import { localTool } from '../../../src/tools/local-tool.js'
import { createToolbox } from '../../../src/tools/toolbox.js'
import { Cancellation } from '../../../src/util/cancellation.js'
import { silentLogger } from '../../../src/util/telemetry/logger.js'
import { systemClock } from '../../../src/util/time/clock.js'
import { type RedisServer, startRedisServer } from '../../support/redis-server.js'
import { waitUntil } from '../../support/wait-until.js'

const LEASE_MS = 600_000
const CALL = { requestId: 'r', signal: new Cancellation() }
const CALLING = { toolCalls: [{ name: 'add', arguments: {} }] }

let redis: RedisServer
let watcher: Redis
/** A connection of its own, which would be tried again for ever. */
let monitor: Redis
/** What was run: scripts by the number of their keys, of which a record has eight, and marks of the test. */
const seen: string[] = []

beforeAll(async () => {
  redis = await startRedisServer()
  watcher = new Redis(redis.url)
  monitor = await watcher.monitor()
  monitor.on('monitor', (_time: string, [command = '', , keys]: string[], source: string) => {
    if (source === 'lua') return
    if (command.toLowerCase().startsWith('eval')) seen.push(`${keys} keys`)
    if (command.toLowerCase() === 'zadd') seen.push('an entry')
    if (command.toLowerCase() === 'echo') seen.push('mark')
  })
})
afterAll(async () => {
  monitor.disconnect()
  watcher.disconnect()
  await redis.stop()
})

it.each([
  ['that only answers: its beginning and its end', ['fine'], 2],
  ['with a round of tools: its beginning, what it is about to do, and its end', [CALLING, 'fine'], 3],
])('a turn %s', async (_, said, writes) => {
  const store = createRedisState({
    url: redis.url,
    keyPrefix: `sent-${writes}`,
    leaseMs: LEASE_MS,
    ttlMs: LEASE_MS,
    logger: silentLogger(),
  })
  await store.open()
  const add = localTool({ name: 'add', execute: () => 5 })
  const agent = { ...PLAIN_AGENT, id: 'a', revision: 'r', model: 'm', toolbox: createToolbox([add]) }
  const hooks = new HookExecutor()
  const sessions = new Sessions({
    store,
    agents: { prepare: async () => agent },
    model: HookedModel.of(createScriptedModel(said), hooks),
    hooks,
    clock: systemClock,
    toolTimeoutMs: LEASE_MS,
    leaseMs: LEASE_MS,
    observer: UNOBSERVED,
  })
  const { id } = await sessions.create({ owner: '-', agent: 'a', variables: {} }, CALL)
  await watcher.echo('begun')
  const input = { content: 'hi', stream: false, limits: {} }
  const started = await sessions.turns.start({ kind: 'session', owner: '-', id }, { input, call: CALL })
  expect((await started.outcome()).kind).toBe('completed')
  // Closing writes where the session stands in its list, unless that was written meanwhile.
  await store.close()
  await watcher.echo('over')
  const marks = () => seen.flatMap((what, place) => (what === 'mark' ? [place] : []))
  await waitUntil(() => marks().length === 2, 'all that was sent')
  const [begun = 0, over] = marks()
  expect(seen.slice(begun + 1, over).sort()).toEqual([
    // Beside the session: that its turn is over, and where it stands in its list, is written with others'.
    ...['1 keys', '1 keys'],
    ...Array.from({ length: writes - 1 }, () => '8 keys'),
    // What begins a turn names it among the open ones, too.
    '9 keys',
  ])
  seen.length = 0
})

it('what is sent in one turn of the event loop leaves in one piece', async () => {
  const connection = new RedisConnection(parseRedisUrl(redis.url))
  await connection.open()
  if ('nodes' in connection.client) throw new Error('not a cluster')
  const pieces = vi.spyOn(connection.client.stream, '_writev')
  const claim = (key: string) =>
    connection.run('claim', [key], new ScriptCall().text('value', 'x').set('ttl', 1_000))
  const replies = await Promise.all([claim('a'), claim('b'), claim('c')])
  expect(replies).toEqual([['fresh'], ['fresh'], ['fresh']])
  expect(pieces.mock.calls.map(([chunks]) => chunks.length)).toEqual([3])
  connection.close()
})
