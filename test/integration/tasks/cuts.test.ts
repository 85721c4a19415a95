import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, it } from 'vitest'
import { createRandom } from '../../support/random.js'
import { type ReadEvent, type Replicas, readEvents, startReplicas } from '../../support/replicas.js'
import { evaluation, phaseOf } from '../../support/task-setup.js'

const CUTS = 20
/** They take longer than all the cuts. */
const STEPS = 60

let replicas: Replicas | undefined
afterEach(() => replicas?.close())

it(`loses and repeats no event over ${CUTS} cuts of the connection, on any replica`, async () => {
  replicas = await startReplicas({
    state: 'Redis',
    replies: [
      (request) =>
        phaseOf(request) === 'turn'
          ? { text: 'done', delayMs: 25 }
          : JSON.stringify(evaluation(98, 98, true)),
    ],
  })
  const { first, all } = replicas
  const steps = Array.from({ length: STEPS }, (_, index) => ({ step_id: `s${index}`, description: 'work' }))
  const { body } = await first.ask('POST', '/tasks', { description: 'x', agent: 'helper', plan: { steps } })
  expect(body.durable).toBe(true)
  const path = `/tasks/${body.id}/events`
  const random = createRandom(5)
  const read: ReadEvent[] = []
  let isOver = false
  for (let cut = 0; !isOver; cut += 1) {
    const lastEventId = read.at(-1)?.id
    const { url } = random.pick(all)
    const reader = await readEvents(url, path, lastEventId === undefined ? {} : { lastEventId })
    if (cut < CUTS) await Promise.race([reader.ended, sleep(random.below(80))])
    else await reader.ended
    reader.cut()
    await reader.ended
    read.push(...reader.events)
    isOver = read.at(-1)?.name === 'task.completed'
    // Over neither before the last cut nor after a stream that ended by itself.
    expect(isOver).toBe(cut === CUTS)
  }
  const whole = await readEvents(first.url, path)
  await whole.ended
  expect(whole.events.filter(({ name }) => name === 'step.updated')).toHaveLength(2 * STEPS)
  expect(read).toEqual(whole.events)
})
