import type { Readable, Writable } from 'node:stream'
import { type ParseArgsConfig, parseArgs } from 'node:util'
import { errorMessage } from '../util/errors/error-message.js'
import { nearNames } from '../util/errors/near-names.js'
import type { Screen } from './screen.js'
import type { Signals } from './signals.js'

/** What users type to run it. */
export const PROGRAM = 'ai-prompt-shell'

/** What a process ends with. */
export const EXIT = {
  ok: 0,
  /** The command ran and what it looked at is not in order, or it failed. */
  failed: 1,
  /** The command line itself is wrong. */
  usage: 2,
  /** The event loop was blocked, or the process did not end in time (EX_SOFTWARE of sysexits.h). */
  stalled: 70,
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
  /** Whether standard output is a terminal, which a person reads. Default: no. */
  readonly isTerminal?: boolean
  /** The streams themselves, for a command that speaks a protocol over them. Absent where there is no process. */
  readonly pipes?: { readonly input: Readable; readonly output: Writable }
  /** Where something may be drawn again and again; absent where there is no terminal. */
  readonly screen?: Screen
  /** What asks the process to end; absent where there is no process. */
  readonly signals?: Signals
  /** Whether the process is the command's own, and may be killed when it does not end. Default: no. */
  readonly ownsProcess?: boolean
}

/** One option: what the parser needs, and its line of the help. */
export interface CommandOption {
  readonly type: 'string' | 'boolean'
  readonly short?: string
  readonly multiple?: boolean
  /** The placeholder of its value in the help, such as `<file>`. */
  readonly value?: string
  /** Its line of the help; an option without one is an earlier name, still read. */
  readonly help?: string
}

export type CommandOptions = Readonly<Record<string, CommandOption>>
export type OptionValues = Readonly<
  Record<string, string | boolean | readonly (string | boolean)[] | undefined>
>

/** One subcommand. */
export interface Command {
  /** The command lines, without the program's name, such as `render <prompt id> [options]`. */
  readonly usage: readonly string[]
  /** What the command does, in paragraphs. */
  readonly about: string
  readonly options: CommandOptions
  /** Command lines that work, without the program's name. */
  readonly examples: readonly string[]
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
      options: parserOptions(command),
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

/** Options of every command. */
export const COMMON_OPTIONS = {
  help: { type: 'boolean', short: 'h', help: 'print this help' },
  version: { type: 'boolean', help: 'print the version' },
} as const satisfies CommandOptions

function parserOptions({ options }: Command): NonNullable<ParseArgsConfig['options']> {
  const all: CommandOptions = { ...options, ...COMMON_OPTIONS }
  return Object.fromEntries(
    Object.entries(all).map(([name, { type, short, multiple }]) => [
      name,
      { type, ...(short !== undefined && { short }), ...(multiple !== undefined && { multiple }) },
    ]),
  )
}

/** Node's own sentence, with the command's nearest option, if there is one. */
function badOption({ options }: Command, message: string): UsageError {
  const [sentence = ''] = message.split('. ')
  const unknown = /^Unknown option '--([^']+)'/.exec(sentence)?.[1]
  const near =
    unknown === undefined ? undefined : nearNames(unknown, Object.keys({ ...options, ...COMMON_OPTIONS }))[0]
  return new UsageError(near === undefined ? sentence : `${sentence}, did you mean "--${near}"?`)
}

/** Names the missing word as the usage line does. */
function missingWord({ usage: [usage = ''] }: Command, index: number): UsageError {
  const name = usage.match(/<[^<>]+>/g)?.[index] ?? 'an argument'
  return new UsageError(`missing ${name}: ${usage}`)
}
