import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { loadConfig } from '../../../src/config.js'
import { openCatalogWebhooks } from '../../../src/open-catalog-webhooks.js'
import type { RegistryChange } from '../../../src/registry/registry.js'
import { buildTestApp } from '../../support/build-test-app.js'
import { createCatalogDirectory } from '../../support/catalog-directory.js'
import { emptyRegistry } from '../../support/empty-registry.js'
import { release, version } from '../../support/lives.js'
import { type ReplicaOptions, type Replicas, startReplicas } from '../../support/replicas.js'
import { STATE_BACKENDS } from '../../support/state-backends.js'
import { evaluation, phaseOf } from '../../support/task-setup.js'
import { waitUntil } from '../../support/wait-until.js'
import { startWebhookReceiver, WEBHOOK_SECRET, type WebhookReceiver } from '../../support/webhook-receiver.js'

let receiver: WebhookReceiver
let replicas: Replicas | undefined
beforeEach(async () => {
  receiver = await startWebhookReceiver()
})
afterEach(async () => {
  await replicas?.close()
  replicas = undefined
  await receiver.close()
})

const hook = () => ({ url: receiver.url, secret: { env: 'HOOK_SECRET' }, events: ['turn.*', 'task.*'] })

async function start(options: Omit<ReplicaOptions, 'state'>): Promise<Replicas> {
  replicas = await startReplicas({
    ...{ state: 'memory', count: 1, file: { webhooks: [hook()] } },
    environment: { HOOK_SECRET: WEBHOOK_SECRET },
    ...options,
  })
  return replicas
}

const told = () => receiver.received.map(({ body }) => body)

it('a turn is told of when it pauses and when it ends, without what was said', async () => {
  const { first } = await start({
    replies: [{ toolCalls: [{ name: 'pay', arguments: {} }] }, 'secret answer'],
    agents: new Map([['helper', { tools: [{ name: 'pay', execute: () => 'paid' }], ask: ['pay'] }]]),
  })
  const { body } = await first.ask('POST', '/sessions', { agent: 'helper' })
  const { body: asked } = await first.ask('POST', `/sessions/${body.id}/turns`, { input: 'go' })
  await first.ask('POST', `/approvals/${asked.approvals[0].id}`, { decision: 'approve' })
  await waitUntil(() => told().length === 2)
  expect(told().map(({ type }) => type)).toEqual(['turn.paused', 'turn.completed'])
  expect(told()[1].data).toEqual({
    ...{ session: body.id, turn: 1, agent: 'helper', status: 'completed' },
    usage: expect.objectContaining({ input_tokens: expect.any(Number) }),
  })
  expect(receiver.received.every(({ isSigned }) => isSigned)).toBe(true)
  expect(JSON.stringify(told())).not.toContain('secret answer')
})

it('a turn that fails is told of with the code of its error', async () => {
  const { first } = await start({
    replies: ['never'],
    agents: new Map([['helper', { limits: { maxTurns: 0 } }]]),
  })
  const { body } = await first.ask('POST', '/sessions', { agent: 'helper' })
  await first.ask('POST', `/sessions/${body.id}/turns`, { input: 'go' })
  await waitUntil(() => told().length === 1)
  expect(told()[0]).toMatchObject({ type: 'turn.failed', data: { turn: 1, error: 'limit_exceeded' } })
})

it('a task is told of when it has ended', async () => {
  const { first } = await start({
    replies: [(request) => (phaseOf(request) === 'turn' ? 'done' : JSON.stringify(evaluation(98, 98, true)))],
  })
  const plan = { steps: [{ step_id: 'a', description: 'look' }] }
  const { body } = await first.ask('POST', '/tasks', { description: 'x', agent: 'helper', plan })
  await waitUntil(() => told().some(({ type }) => type === 'task.completed'))
  expect(told().find(({ type }) => type === 'task.completed').data).toMatchObject({
    ...{ task: body.id, status: 'completed', ended_by: 'correctness', rounds: 1, failure_count: 0 },
  })
})

it('what ends with the service is delivered before it is gone', async () => {
  const { first } = await start({
    replies: [{ toolCalls: [{ name: 'hang', arguments: {} }] }],
    agents: new Map([['helper', { tools: [{ name: 'hang', execute: () => new Promise(() => {}) }] }]]),
    overrides: { drainMs: 50 },
  })
  const { body } = await first.ask('POST', '/sessions', { agent: 'helper' })
  const running = first.ask('POST', `/sessions/${body.id}/turns`, { input: 'go' })
  await waitUntil(() => (replicas as Replicas).model.requests.length === 1)
  await first.app.close()
  await running
  expect(told()).toMatchObject([{ type: 'turn.failed', data: { error: 'turn_interrupted' } }])
})

it.each([
  {
    wrong: 'a secret that is not set',
    webhook: { secret: { env: 'NOT_SET' } },
    problem: 'NOT_SET is not set',
  },
  { wrong: 'a secret that is no key', webhook: {}, problem: '/webhooks/0/secret: must be base64' },
  { wrong: 'an unknown event', webhook: { events: ['turn.ended'] }, problem: '/webhooks/0/events/0' },
])('a configuration with $wrong is refused', ({ webhook, problem }) => {
  const readFile = () => JSON.stringify({ webhooks: [{ ...hook(), ...webhook }] })
  const environment = { CATALOG_DIR: '.', CONFIG_FILE: 'config.yaml', HOOK_SECRET: 'short' }
  expect(() => loadConfig({ environment, readFile })).toThrow(problem)
})

it('replicas agree which of them tells of a change, and a catalog that is as before is told of again', async () => {
  const backend = await STATE_BACKENDS.Redis()
  const sent: [replica: number, event: string, revision: string][] = []
  const listeners: ((changes: readonly RegistryChange[]) => void)[] = []
  let revision = 'first'
  const open = async (replica: number) =>
    openCatalogWebhooks({
      registry: {
        get current() {
          return { ...emptyRegistry().current, revision }
        },
        whenReady: async () => {},
        subscribe: (listener) => {
          listeners.push((changes) => listener(changes, emptyRegistry().current, []))
          return () => {}
        },
      },
      webhooks: {
        wants: () => true,
        send: (event, data) => void sent.push([replica, event, String(data['revision'])]),
        close: async () => {},
      },
      state: await backend.open(),
      burstMs: 5,
      now: () => 1_000,
    })
  const ends = await Promise.all([0, 1, 2].map(open))
  try {
    await waitUntil(() => listeners.length === 3)
    for (const [index, next] of ['second', 'first', 'second'].entries()) {
      revision = next
      for (const listen of listeners)
        listen([{ kind: 'prompt', id: 'a.b', change: 'changed', revision: next }])
      await waitUntil(() => sent.length > index)
      await sleep(50)
    }
    expect(sent.map(([, event, of]) => `${event} ${of}`)).toEqual([
      'catalog.changed second',
      'catalog.changed first',
      'catalog.changed second',
    ])
  } finally {
    for (const end of ends) await end()
    await backend.stop()
  }
})

it('changes of the catalog are told of once for each burst, those of releases apart, and the first load is none', async () => {
  const one = version('a.one', 1, { userPrompt: 'x' })
  const catalog = createCatalogDirectory({ 'templates/a/one.json': { userPrompt: 'x' } })
  const file = join(catalog.path, 'config.yaml')
  catalog.write(
    'config.yaml',
    JSON.stringify({ webhooks: [{ ...hook(), events: ['catalog.*', 'release.moved'] }] }),
  )
  const environment = { CATALOG_DIR: catalog.path, CONFIG_FILE: file, HOOK_SECRET: WEBHOOK_SECRET }
  const app = await buildTestApp(environment)
  try {
    await app.registry.whenReady()
    for (const name of ['two', 'three'])
      catalog.write(`templates/a/${name}.json`, '{"userPrompt":"secret text"}')
    await waitUntil(() => told().length > 0)
    expect(told()).toMatchObject([
      { type: 'catalog.changed', data: { more: 0, revision: expect.any(String) } },
    ])
    const ids = told().flatMap(({ data }) => data.changes.map(({ id }: { id: string }) => id))
    expect(ids.sort()).toEqual(['a.three', 'a.two'])
    catalog.write('templates/a/one@1.json', JSON.stringify(one.document))
    catalog.write('releases/a/one/production.json', JSON.stringify(release(one)))
    await waitUntil(() => told().some(({ type }) => type === 'release.moved'))
    expect(receiver.received.every(({ isSigned }) => isSigned)).toBe(true)
    expect(JSON.stringify(told())).not.toContain('secret text')
  } finally {
    await app.close()
    catalog.dispose()
  }
})
