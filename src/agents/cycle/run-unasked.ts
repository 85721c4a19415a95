import type { StoredMessage } from '../../conversation/history.js'
import { ServiceError } from '../../errors.js'
import { type CycleOptions, createSetup, type RunDetails } from './create-setup.js'
import { runCycle } from './run-cycle.js'
import type { TurnResult } from './turn-event.js'

/** How a turn went, and the history with all that was said in it. */
export interface UnaskedTurn {
  readonly messages: readonly StoredMessage[]
  readonly result: TurnResult
}

/**
 * Runs the loop over messages that are kept in this process, if at all, where no person can be asked.
 *
 * @throws ServiceError `forbidden` where a tool needs approval, and as the loop does
 */
export async function runUnasked(
  options: Partial<CycleOptions>,
  run: RunDetails,
  messages: readonly StoredMessage[],
): Promise<UnaskedTurn> {
  const added: StoredMessage[] = []
  const journal = {
    async write(entry: { readonly messages: readonly StoredMessage[] }) {
      added.push(...entry.messages)
    },
  }
  const end = await runCycle(createSetup(options, run, journal), { history: { messages } })
  if (end.kind === 'paused')
    throw new ServiceError('forbidden', 'A tool needs approval, and there is nobody to ask')
  return { messages: [...messages, ...added, ...end.messages], result: end.result }
}
