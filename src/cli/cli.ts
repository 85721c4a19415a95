import { constants } from 'node:os'
import { ConfigError } from '../config.js'
import { errorCode, errorMessage } from '../util/errors/error-message.js'
import { nearNames } from '../util/errors/near-names.js'
import { VERSION } from '../util/packages/version.js'
import { type CliContext, type Command, EXIT, PROGRAM, parseCommandLine, UsageError } from './command.js'
import { helpOf, overview } from './command-help.js'
import { COMMANDS, type ListedCommand } from './commands.js'
import { isLocation } from './location.js'
import { nearFolder } from './near-folder.js'
import { placeOfCause } from './place-of-cause.js'
import { screenOf } from './screen.js'
import type { Signals } from './signals.js'
import { createTerminal } from './terminal.js'

/** What runs without a command. */
const DEFAULT_COMMAND = 'serve'

/** Runs this process's command line; answers the exit code. Never throws. */
export async function runProcess(argv: readonly string[], signals: Signals): Promise<number> {
  endWithReader(process)
  const terminal = createTerminal(process.stdin, process.stderr)
  const screen = screenOf(process.stderr, process.env)
  const code = await runCli(argv, {
    environment: process.env,
    ask: (question) => terminal.ask(question),
    stdout: (text) => process.stdout.write(text),
    stderr: (text) => process.stderr.write(text),
    isTerminal: process.stdout.isTTY === true,
    pipes: { input: process.stdin, output: process.stdout },
    ...(screen !== undefined && { screen }),
    signals,
    ownsProcess: true,
  })
  terminal.close()
  signals.finish()
  return code
}

/** Anybody who read what is printed has gone, as `head` does: nothing more is of use. Node ignores the signal that says so. */
function endWithReader({ stdout, stderr, exit }: Pick<NodeJS.Process, 'stdout' | 'stderr' | 'exit'>): void {
  stdout.on('error', (error) => {
    if (errorCode(error) === 'EPIPE') exit(128 + constants.signals.SIGPIPE)
    throw error
  })
  stderr.on('error', (error) => {
    if (errorCode(error) !== 'EPIPE') throw error
  })
}

/** Runs one command line, without the program's name; answers the exit code. Never throws. */
export async function runCli(argv: readonly string[], context: CliContext): Promise<number> {
  const [first, ...rest] = argv
  let known = ''
  try {
    if (first === '--version' || first === '-V') return print(context, VERSION)
    if (first === '--help' || first === '-h' || first === 'help') return await help(rest, context)
    const isCommand = first !== undefined && !first.startsWith('-') && !isCatalog(first)
    const { name, load } = findCommand(isCommand ? first : DEFAULT_COMMAND)
    if (isCommand) known = `${name} `
    return await runCommand(await load(), isCommand ? rest : argv, context)
  } catch (error) {
    return explain(error, known, context)
  }
}

/** `help`, or `help <command>`. */
async function help([name]: readonly string[], context: CliContext): Promise<number> {
  if (name === undefined || name.startsWith('-')) return print(context, overview())
  return print(context, helpOf(await findCommand(name).load()))
}

async function runCommand(command: Command, rest: readonly string[], context: CliContext): Promise<number> {
  const { words, values } = parseCommandLine(command, rest)
  if (values['help'] === true) return print(context, helpOf(command))
  if (values['version'] === true) return print(context, VERSION)
  if (command.endsInOrder !== true) context.signals?.release()
  return command.run(words, values, context)
}

/** Whether the first word is a catalog to serve, such as `my-prompts` or `redis://host`. Commands win over folders. */
function isCatalog(word: string): boolean {
  return !COMMANDS.some(({ name }) => name === word) && isLocation(word)
}

function findCommand(name: string): ListedCommand {
  const command = COMMANDS.find((each) => each.name === name)
  if (command !== undefined) return command
  const near = nearNames(
    name,
    COMMANDS.map((each) => each.name),
  )[0]
  throw new UsageError(
    near === undefined
      ? `there is no command and no folder "${name}"${nearFolder(name)}`
      : `unknown command "${name}", did you mean "${near}"?`,
  )
}

function print({ stdout }: CliContext, text: string): number {
  stdout(`${text}\n`)
  return EXIT.ok
}

/** @param known the command that runs, with a space after it; empty for none */
function explain(error: unknown, known: string, { stderr }: CliContext): number {
  if (error instanceof UsageError) {
    stderr(`${PROGRAM}: ${error.message} (see ${PROGRAM} ${known}--help)\n`)
    return EXIT.usage
  }
  if (error instanceof ConfigError) {
    stderr(`${error.message}\n`)
    return EXIT.config
  }
  stderr(`${PROGRAM}: ${placeOfCause(error)}${errorMessage(error)}\n`)
  return EXIT.failed
}
