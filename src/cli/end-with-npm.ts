import type { Signals } from './signals.js'

const LOOK_EVERY_MS = 250

/**
 * Ends a service that `npm start` began when npm ends. npm runs a script in a shell, and sends SIGTERM to that shell, which does
 * not pass it on; `exec` in the script would, but Windows has no such command.
 */
export function endWithNpm(
  { env, parent }: { readonly env: NodeJS.ProcessEnv; readonly parent: () => number },
  signals: Pick<Signals, 'ask'>,
): void {
  if (env['npm_lifecycle_event'] !== 'start') return
  const shell = parent()
  const looking = setInterval(() => {
    if (parent() === shell) return
    clearInterval(looking)
    signals.ask('SIGTERM')
  }, LOOK_EVERY_MS)
  looking.unref()
}
