import { documentAt, HOMEPAGE } from '../util/packages/version.js'
import { COMMON_OPTIONS, type Command, type CommandOption, type CommandOptions, PROGRAM } from './command.js'
import { COMMANDS, GROUPS } from './commands.js'

/** What `<command> --help` prints: usage, what the command does, its options, examples. */
export function helpOf({ usage, about, options, examples }: Command): string {
  const [first = '', ...others] = usage
  return [
    [`Usage: ${PROGRAM} ${first}`, ...others.map((line) => `       ${PROGRAM} ${line}`)].join('\n'),
    about,
    section('Options', optionRows({ ...options, ...COMMON_OPTIONS })),
    section(
      'Examples',
      examples.map((example) => `  ${PROGRAM} ${example}`),
    ),
  ].join('\n\n')
}

/**
 * What `--help` prints: every command, by what it is for.
 *
 * @param homepage the address of the project, of which the pages of the documentation are below
 */
export function overview(homepage = HOMEPAGE): string {
  const width = Math.max(...COMMANDS.map(({ name }) => name.length))
  const sections = GROUPS.map((group) =>
    section(
      group,
      COMMANDS.filter((command) => command.group === group).map(
        ({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`,
      ),
    ),
  )
  return [
    `Usage: ${PROGRAM} [command] [options]\n       ${PROGRAM} <folder or redis:// URL> [options]`,
    `Without a command it serves the catalog. The service is configured by environment variables: ${documentAt('reference/configuration.md', homepage)}`,
    ...sections,
    section('Options', [
      '  -h, --help     print this help, or that of a command',
      '  -V, --version  print the version',
    ]),
    section(
      'Examples',
      [
        'init my-prompts',
        'my-prompts --port 9000',
        'render hello.greeting --catalog my-prompts',
        'help render',
      ].map((example) => `  ${PROGRAM} ${example}`),
    ),
    `Documentation: ${documentAt('README.md', homepage)}`,
  ].join('\n\n')
}

function section(title: string, rows: readonly string[]): string {
  return [`${title}:`, ...rows].join('\n')
}

function optionRows(options: CommandOptions): readonly string[] {
  const shown = Object.entries(options).flatMap(([name, option]) =>
    option.help === undefined ? [] : [{ flag: flagOf(name, option), lines: option.help.split('\n') }],
  )
  const width = Math.max(...shown.map(({ flag }) => flag.length))
  return shown.flatMap(({ flag, lines: [first = '', ...more] }) => [
    `${flag.padEnd(width)}  ${first}`,
    ...more.map((line) => `${' '.repeat(width)}  ${line}`),
  ])
}

function flagOf(name: string, { short, value }: CommandOption): string {
  const flag = short === undefined ? `      --${name}` : `  -${short}, --${name}`
  return value === undefined ? flag : `${flag} ${value}`
}
