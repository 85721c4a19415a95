import { randomUUID } from 'node:crypto'
import { expect, inject, it, onTestFinished } from 'vitest'
import { ask, readEvents } from '../support/replicas.js'
import { rollingRestart } from '../support/rolling-restart.js'
import { rollingTurns } from '../support/rolling-turns.js'
import { startService } from '../support/service-process.js'
import { waitUntil } from '../support/wait-until.js'
import { openWorkplace } from '../support/workplace.js'

const SEED = Number(process.env['RESTART_SEED'] ?? 1)

it('no request fails and no stream breaks off while replicas are replaced one by one', async () => {
  const { answered, failed, ended, cut, codes } = await rollingRestart({ rate: 40, streams: 4 })
  expect([...failed]).toEqual([])
  expect(cut).toEqual([])
  expect(ended).toBe(8)
  expect(answered).toBeGreaterThan(40)
  expect(codes).toEqual([0, 0])
}, 60_000)

/** `npm run soak:restart` does the same to fifty of each, and with `OTHER_BUILD` beside another build. */
it(`nothing is lost, doubled, silent or ended without need while replicas end or die (seed ${SEED})`, async () => {
  const { wrong, ...counts } = await rollingTurns({
    ...{ redisUrl: inject('redisUrl'), seed: SEED },
    ...{ streams: 5, detached: 5, tasks: 3, replacements: 6 },
  })
  console.log(JSON.stringify({ seed: SEED, ...counts }))
  expect(wrong).toEqual([])
  expect(counts.continued).toBeGreaterThan(0)
  expect(counts.drained + counts.killed).toBe(6)
}, 600_000)

it('a process ends by itself in its time, whatever is under way, and says of all of it how it ended', async () => {
  const workplace = await openWorkplace()
  onTestFinished(() => workplace.close())
  const service = await startService({
    ...workplace.environment,
    ...{ LOG_LEVEL: 'fatal', STATE_URL: inject('redisUrl'), KEY_PREFIX: `drain-${randomUUID()}` },
    ...{ DRAIN_DELAY_MS: '200', DRAIN_TIMEOUT_MS: '500' },
  })
  onTestFinished(() => void service.stop('SIGKILL'))
  const input = JSON.stringify({ rounds: 1, tools: ['act', 'act'], ms: 60_000, words: 1 })
  const turn = async () => {
    const { body } = await ask(service.url, 'POST', '/sessions', { agent: 't.main' })
    return readEvents(service.url, `/sessions/${body.id}/turns`, { body: { input, stream: true } })
  }
  const [read, left] = await Promise.all([turn(), turn()])
  const step = { step_id: 'a', description: 'act', tool_id: 'm.act', parameters: { ms: 60_000 } }
  await ask(service.url, 'POST', '/tasks', { description: 'x', agent: 't.main', plan: { steps: [step] } })
  await waitUntil(() => workplace.effects.size === 5, 'the calls')
  left.cut()
  // Its watch would end it with 70, three seconds after the drain.
  const { code, stdout } = await service.stop()
  expect([code, stdout]).toEqual([0, ''])
  await read.ended
  expect(read.isWhole).toBe(true)
  expect(['error', 'turn.failed']).toContain(read.events.at(-1)?.name)
}, 120_000)
