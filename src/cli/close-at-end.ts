import type { App } from '../app.js'
import { waitAtMost } from '../util/time/time-limits.js'
import { EXIT } from './command.js'
import { REPLACED } from './signals.js'

const LAST_LINES_MS = 200

/** How long after `DRAIN_DELAY_MS` and `DRAIN_TIMEOUT_MS` a process has ended in any case, in milliseconds. */
export const ENDED_MS = 2_900

/** Waits for a signal, or for a failure that nobody caught, and closes everything. */
export async function closeAtEnd(
  { logger, close }: App,
  end: AbortSignal | undefined,
  onEnd: () => void = () => {},
): Promise<number> {
  const reason = await endOf(end)
  onEnd()
  if (reason instanceof Error) logger.fatal({ err: reason }, 'ending after an unexpected failure')
  logger.info({ signal: reason instanceof Error ? undefined : reason }, 'closing')
  await close({ isReplaced: reason === REPLACED })
  // A log that nobody reads does not keep the process.
  await waitAtMost(LAST_LINES_MS, new Promise<void>((resolve) => logger.flush(() => resolve())))
  return reason instanceof Error ? EXIT.failed : EXIT.ok
}

/** @returns the signal's name, or what nobody caught */
function endOf(end: AbortSignal | undefined): Promise<unknown> {
  return new Promise((resolve) => {
    if (end?.aborted) return resolve(end.reason)
    end?.addEventListener('abort', () => resolve(end.reason))
    const fail = (thrown: unknown) => resolve(thrown instanceof Error ? thrown : new Error(String(thrown)))
    process.on('uncaughtException', fail).on('unhandledRejection', fail)
  })
}
