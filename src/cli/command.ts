import type { Readable, Writable } from 'node:stream'
import { type ParseArgsConfig, parseArgs } from 'node:util'
import { errorMessage } from '../util/error-message.js'
import { nearNames } from '../util/near-names.js'
import type { Screen } from './screen.js'
import type { Signals } from './signals.js'

/** What a process ends with. */
export const EXIT = {
  ok: 0,
  /** The command ran and what it looked at is not in order, or it failed. */
  failed: 1,
  /** The command line itself is wrong. */
  usage: 2,
  /** The configuration is wrong (EX_CONFIG of sysexits.h). */
  config: 78,
} as const

/** Where a command writes and reads from: arguments, so that tests need no process. */
export interface CliContext {
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly stdout: (text: string) => void
  readonly stderr: (text: string) => void
  /** Asks a person for one line; undefined when there is nobody, or no more. Absent where there is no terminal. */
  readonly ask?: (question: string) => Promise<string | undefined>
  /** The streams themselves, for a command that speaks a protocol over them. Absent where there is no process. */
  readonly pipes?: { readonly input: Readable; readonly output: Writable }
  /** Where something may be drawn again and again; absent where there is no terminal. */
  readonly screen?: Screen
  /** What asks the process to end; absent where there is no process. */
  readonly signals?: Signals
}

type Options = NonNullable<ParseArgsConfig['options']>
export type OptionValues = Readonly<
  Record<string, string | boolean | readonly (string | boolean)[] | undefined>
>

/** One subcommand. */
export interface Command {
  /** What follows the program's name, and the explanation of each option. */
  readonly help: string
  readonly options: Options
  /** Fewest and most words beside options. */
  readonly positionals: readonly [least: number, most: number]
  /** Whether it runs until a signal comes, and closes what it opened. */
  readonly endsInOrder?: boolean
  run(words: readonly string[], values: OptionValues, context: CliContext): Promise<number>
}

/** A mistake on the command line: one clear line, exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** Parses a subcommand's own arguments. @throws UsageError */
export function parseCommandLine(
  command: Command,
  rest: readonly string[],
): { words: string[]; values: OptionValues } {
  const [least, most] = command.positionals
  try {
    const { values, positionals } = parseArgs({
      args: [...rest],
      options: { ...command.options, ...COMMON_OPTIONS },
      allowPositionals: true,
      strict: true,
    })
    const asksForHelp = values['help'] === true || values['version'] === true
    if (!asksForHelp && positionals.length < least) throw missingWord(command, positionals.length)
    if (positionals.length > most) throw new UsageError(`unexpected argument "${positionals[most]}"`)
    return { words: positionals, values }
  } catch (error) {
    if (error instanceof UsageError) throw error
    throw badOption(command, errorMessage(error))
  }
}

/** What every command takes. */
const COMMON_OPTIONS = { help: { type: 'boolean', short: 'h' }, version: { type: 'boolean' } } as const

/** Node's own sentence; an option that is nearly one of the command's is told. */
function badOption({ options }: Command, message: string): UsageError {
  const [sentence = ''] = message.split('. ')
  const unknown = /^Unknown option '--([^']+)'/.exec(sentence)?.[1]
  const near =
    unknown === undefined ? undefined : nearNames(unknown, Object.keys({ ...options, ...COMMON_OPTIONS }))[0]
  return new UsageError(near === undefined ? sentence : `${sentence}, did you mean "--${near}"?`)
}

/** Names the word that is missing, as the first line of the help does. */
function missingWord({ help }: Command, index: number): UsageError {
  const [usage = ''] = help.split('\n')
  const name = usage.match(/<[^>]+>/g)?.[index] ?? 'an argument'
  return new UsageError(`missing ${name}: ${usage}`)
}
