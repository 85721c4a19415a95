import { constants } from 'node:os'

const ENDING = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'] as const
type EndingSignal = (typeof ENDING)[number]

/** `npm` and a terminal both pass Ctrl-C on: a second signal within this time is the first one again. */
const SAME_SIGNAL_MS = 500
/** What is left running when everything is closed gets this long. */
const LEFT_OVERS_MS = 200

/** Why a worker ends whose place another one has taken. */
export const REPLACED = 'replaced'

/** The one handler of the signals that ask a process to end. */
export interface Signals {
  /** Aborts at the first signal; its reason is the signal's name. A later second one ends the process at once. */
  readonly end: AbortSignal
  /** Asks for the end as a signal does, once, for this reason. */
  ask(reason: string): void
  /** From now on SIGHUP does this instead of asking for the end. */
  onHangup(act: () => void): void
  /** For commands with nothing to close: gives signals their usual effect again, also one that came already. */
  release(): void
  /** The command is over: the process ends soon, whatever still runs, if a signal asked for it, or at the next one. */
  finish(): void
}

type SignalSource = Pick<NodeJS.Process, 'on' | 'off' | 'exit' | 'kill' | 'pid'>

/** Listens from now on. */
export function listenForSignals(process: SignalSource): Signals {
  const controller = new AbortController()
  let endedAt = 0
  let onHangup: (() => void) | undefined
  const onSignal = (signal: EndingSignal) => {
    if (signal === 'SIGHUP' && onHangup !== undefined) {
      onHangup()
    } else if (!controller.signal.aborted) {
      endedAt = performance.now()
      controller.abort(signal)
    } else if (performance.now() - endedAt > SAME_SIGNAL_MS) {
      process.exit(128 + constants.signals[signal])
    }
  }
  const stopListening = () => {
    for (const signal of ENDING) process.off(signal, onSignal)
  }
  for (const signal of ENDING) process.on(signal, onSignal)
  return {
    end: controller.signal,
    ask: (reason) => controller.abort(reason),
    onHangup(act) {
      onHangup = act
    },
    release() {
      stopListening()
      if (controller.signal.aborted) process.kill(process.pid, controller.signal.reason)
    },
    finish() {
      stopListening()
      if (controller.signal.aborted) setTimeout(() => process.exit(), LEFT_OVERS_MS).unref()
    },
  }
}
