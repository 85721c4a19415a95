import { setTimeout as sleep } from 'node:timers/promises'
import { at } from '../../../src/util/at.js'
import { heldMs } from '../../support/fresh-memory.js'
import { type AttackedService, attack, startAttackedService } from '../support/attack.js'
import { storedDocuments } from '../support/costly-requests.js'
import { FAIRNESS_BOUNDS, percentileOf } from '../support/fairness.js'
import { ENVIRONMENT } from '../support/http-attack.js'
import { sendMcp } from '../support/mcp-attack.js'
import { COSTLY_CALLS } from '../tables/costly-calls.js'
import { HOSTILE_TEMPLATES } from '../tables/hostile-templates.js'
import { MCP_DOCUMENTS, MCP_MESSAGES } from '../tables/mcp-messages.js'
import type { Section } from './section.js'
import { settle } from './settle.js'

const PER_SECOND = 20
const SECONDS = 5
/** Between two looks at whether the service still answers. */
const LOOK_MS = 3

/** Sends the request of this number. */
type Drip = (service: AttackedService, index: number) => Promise<unknown>

const inline =
  (texts: readonly string[], variables: object = {}): Drip =>
  (service, index) =>
    attack({
      service,
      path: '/api/render',
      body: { prompt: { userPrompt: at(texts, index % texts.length) }, variables },
    })

const SMALL_ONES = COSTLY_CALLS.filter(({ data }) => data === undefined)

const ROWS: readonly (readonly [name: string, drip: Drip])[] = [
  [
    'uniq of 1,990 dicts',
    inline(['{{uniq .variables.l}}'], { l: Array.from({ length: 1_990 }, (_, a) => ({ a })) }),
  ],
  ['every hostile template in turn', inline(HOSTILE_TEMPLATES.map(([, text]) => text))],
  [
    'small calls that were charged wrongly once',
    inline(SMALL_ONES.map(({ definitions = '', action }) => `${definitions}{{$v := ""}}${action}`)),
  ],
  [
    'stored prompts',
    (service, index) =>
      attack({
        service,
        path: `/api/render/prompts/costly.row${index % COSTLY_CALLS.length}`,
        body: { variables: { v: '9'.repeat(20_000) } },
      }),
  ],
  [
    'messages of MCP clients',
    (service, index) => sendMcp(service, at(MCP_MESSAGES, index % MCP_MESSAGES.length)),
  ],
]

/** What small requests do to everybody else that come again and again, far from enough of them to be a load. */
export const DRIPS_SECTION: Section = {
  name: 'drips',
  async run(_repetitions, wanted = '') {
    const documents = { ...storedDocuments(COSTLY_CALLS), ...MCP_DOCUMENTS }
    const service = await startAttackedService(documents, ENVIRONMENT)
    await settle(service)
    const lines: string[] = []
    let failures = 0
    for (const [name, drip] of ROWS.filter(([each]) => each.includes(wanted))) {
      await service.takeTurns()
      const { times, statuses } = await besideDrips(service, drip)
      const longestTurn = Math.max(0, ...(await service.takeTurns()).map((turn) => heldMs(turn)))
      const [p50, p99] = [percentileOf(times, 0.5), percentileOf(times, 0.99)]
      const isOver = p50 > FAIRNESS_BOUNDS.p50 || p99 > FAIRNESS_BOUNDS.p99
      if (isOver) failures += 1
      const figures = [p50, p99, times.at(-1) ?? 0, longestTurn].map((ms) => ms.toFixed(1))
      const came = [...statuses].map(([status, count]) => `${status} × ${count}`).join(', ')
      lines.push(`| ${name} | ${came} | ${figures.join(' | ')} | ${isOver ? '**over**' : ''} |`)
    }
    const code = await service.stop()
    const head = `| ${PER_SECOND} a second for ${SECONDS} s | came back | p50 of a probe, ms | p99, ms | longest, ms | longest turn of the loop, ms of processor time | |\n|---|---|---|---|---|---|---|`
    return {
      text: `${head}\n${lines.join('\n')}\n\nThe service ended with ${code}.`,
      failures: failures + (code === 0 ? 0 : 1),
    }
  },
}

async function besideDrips(service: AttackedService, drip: Drip) {
  const statuses = new Map<unknown, number>()
  const times: number[] = []
  let isOver = false
  const looking = (async () => {
    while (!isOver) {
      const startedAt = performance.now()
      await (await fetch(`${service.url}/healthz`)).text()
      times.push(performance.now() - startedAt)
      await sleep(LOOK_MS)
    }
  })()
  const sent: Promise<void>[] = []
  for (let index = 0; index < PER_SECOND * SECONDS; index += 1) {
    const count = (status: unknown) => void statuses.set(status, (statuses.get(status) ?? 0) + 1)
    sent.push(
      drip(service, index)
        .then(statusOf, () => 'nothing')
        .then(count),
    )
    await sleep(1_000 / PER_SECOND)
  }
  await Promise.all(sent)
  isOver = true
  await looking
  return { statuses, times: times.sort((a, b) => a - b) }
}

function statusOf(answer: unknown): unknown {
  return typeof answer === 'object' && answer !== null && 'status' in answer ? answer.status : 'nothing'
}
