import { runCli } from '../../src/cli/cli.js'
import type { CliContext } from '../../src/cli/command.js'

/** What a command printed, and its exit code. */
export interface CliOutcome {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** A command that is running in this process. */
export interface RunningCli {
  readonly code: Promise<number>
  /** What it printed so far. */
  readonly stdout: () => string
  readonly stderr: () => string
}

/** Starts a command in this process, with an environment of its own. */
export function startCli(
  args: readonly string[],
  environment: Record<string, string> = {},
  more: Pick<CliContext, 'screen' | 'signals'> = {},
): RunningCli {
  let stdout = ''
  let stderr = ''
  const code = runCli(args, {
    ...more,
    // The process goes on after the command: nobody is to end it.
    environment: { MAX_STALL_MS: '0', ...environment },
    stdout: (text) => {
      stdout += text
    },
    stderr: (text) => {
      stderr += text
    },
  })
  return { code, stdout: () => stdout, stderr: () => stderr }
}

/** Runs a command in this process until it ends. */
export async function runLocalTurn(
  args: readonly string[],
  environment: Record<string, string> = {},
): Promise<CliOutcome> {
  const running = startCli(args, environment)
  const code = await running.code
  return { code, stdout: running.stdout(), stderr: running.stderr() }
}
