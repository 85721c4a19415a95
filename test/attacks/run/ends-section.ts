import { setTimeout as sleep } from 'node:timers/promises'
import { at } from '../../../src/util/at.js'
import { type AttackedService, startAttackedService } from '../support/attack.js'
import { inlineRow } from '../support/costly-requests.js'
import { DOCUMENTS, sendRow } from '../support/http-attack.js'
import { sendMcp } from '../support/mcp-attack.js'
import { COSTLY_CALLS } from '../tables/costly-calls.js'
import { MCP_DOCUMENTS, MCP_MESSAGES } from '../tables/mcp-messages.js'
import { TEMPLATES } from '../tables/templates.js'
import type { Section } from './section.js'

const DRAIN_MS = 2_000
/** Beside the drain: the last look of the watchdog, and the end of a process on a busy machine. */
const SLACK_MS = 3_000
/** The service ended in order, or its watchdog ended it. */
const CODES: readonly (number | null)[] = [0, 70]
/** How long after the request the signal comes: while it is read, and while it is worked on. */
const AFTER_MS = [3, 40]

interface Attacking {
  readonly name: string
  readonly send: (service: AttackedService) => Promise<unknown>
}

const ATTACKS: readonly Attacking[] = [
  ...[...TEMPLATES, ...COSTLY_CALLS.map(inlineRow)].map((row) => ({
    name: row.name,
    send: (service: AttackedService) => sendRow(service, row),
  })),
  ...MCP_MESSAGES.map((message) => ({
    name: message.name,
    send: (service: AttackedService) => sendMcp(service, message),
  })),
]

/** SIGTERM in the midst of each attack, to a service of its own. */
export const ENDS_SECTION: Section = {
  name: 'ends',
  async run(_repetitions, wanted = '') {
    const mistakes: string[] = []
    const rows = ATTACKS.filter(({ name }) => name.includes(wanted))
    let longestMs = 0
    for (const [index, row] of rows.entries()) {
      const { code, tookMs } = await endOf(row, at(AFTER_MS, index % AFTER_MS.length))
      longestMs = Math.max(longestMs, tookMs)
      if (!CODES.includes(code) || tookMs > DRAIN_MS + SLACK_MS)
        mistakes.push(`| ${row.name} | ended with ${code} after ${tookMs.toFixed(0)} ms |`)
    }
    const told = mistakes.length === 0 ? '' : `\n\n| attack | end |\n|---|---|\n${mistakes.join('\n')}`
    return {
      text: `${rows.length - mistakes.length} of ${rows.length} services ended with 0 or 70 within the drain of ${DRAIN_MS} ms and ${SLACK_MS} ms, the last one after ${longestMs.toFixed(0)} ms.${told}`,
      failures: mistakes.length,
    }
  },
}

async function endOf({ send }: Attacking, afterMs: number) {
  const service = await startAttackedService(
    { ...DOCUMENTS, ...MCP_DOCUMENTS },
    { LOG_LEVEL: 'fatal', DRAIN_TIMEOUT_MS: String(DRAIN_MS), MAX_STALL_MS: '1000' },
  )
  // What becomes of the request is not looked at here.
  const sent = send(service).catch(() => {})
  await sleep(afterMs)
  const startedAt = performance.now()
  const code = await service.stop()
  await sent
  return { code, tookMs: performance.now() - startedAt }
}
