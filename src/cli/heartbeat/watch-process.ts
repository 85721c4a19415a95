import type { App } from '../../app.js'
import type { Config } from '../../config.js'
import { ENDED_MS } from '../close-at-end.js'
import type { CliContext } from '../command.js'
import { isReadable } from '../terminal-log.js'
import { machineTime, ProcessWatch } from './watch-loop.js'

/** How long the interrupt of a process that has not ended may take before it is killed, in milliseconds. */
const INTERRUPT_MS = 300

/** Sees to it that a process ends when it should. */
export interface EndWatch {
  /** Watches the event loop from the moment the catalog is loaded: what comes before may take its time. */
  watchLoop(app: App): void
  /** The process is about to end; it has from now, or from the signal before, as long as docs/guides/operating.md says. */
  end(): void
}

/**
 * From a signal on the process has `DRAIN_DELAY_MS`, `DRAIN_TIMEOUT_MS` and three seconds, whatever it is doing then,
 * its own start included: another thread has the deadline, which nothing in this one can move. A process that belongs to
 * somebody else, such as a test, is left alone.
 */
export function watchProcess(config: Config, context: CliContext): EndWatch {
  if (context.ownsProcess !== true) return { watchLoop() {}, end() {} }
  const watch = new ProcessWatch(isReadable(config, context))
  const { end: signal } = context.signals ?? {}
  let isEnding = false
  const end = () => {
    if (isEnding) return
    isEnding = true
    const killAt = machineTime() + config.drainDelayMs + config.drainTimeoutMs + ENDED_MS
    watch.endBy({ interruptAt: killAt - INTERRUPT_MS, killAt })
  }
  if (signal?.aborted === true) end()
  signal?.addEventListener('abort', end, { once: true })
  return {
    end,
    watchLoop({ registry }) {
      const start = () => {
        if (!isEnding) watch.watchLoop(config.maxStallMs)
      }
      registry.whenReady().then(start, () => {})
    },
  }
}
