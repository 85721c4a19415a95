import { ConfigError, loadConfig } from '../config.js'
import { CATALOG_OPTION, catalogOption } from './catalog-option.js'
import { environmentFor } from './catalog-source.js'
import { type CliContext, type Command, EXIT } from './command.js'
import { aclLines } from './doctor/acl-lines.js'
import { examine } from './doctor/examine.js'
import { type Finding, formatFinding } from './doctor/finding.js'
import { LISTEN_OPTIONS, listeningEnvironment } from './listen-options.js'

/** `doctor`: tries everything the service needs, and says what to do. */
export const doctor: Command = {
  usage: ['doctor [folder or redis:// URL] [options]'],
  about: `Checks what serve would be started with: the configuration and its limits, the Node release, keys, the catalog's store
and its change notifications, the catalog, the servers of its tools, state, the permissions of the task queue,
upstreams and their keys, and the clock. Calls no tool and no model. Exits with code 0 when nothing needs fixing, 1
when something does, 78 when the configuration is wrong.`,
  options: {
    ...CATALOG_OPTION,
    ...LISTEN_OPTIONS,
    acl: {
      type: 'boolean',
      help: 'only print ACL lines for Redis: for the service, for publishing, for promoting',
    },
    json: {
      type: 'boolean',
      help: 'print one JSON object per line: check, status (ok, note, fix), message, advice',
    },
  },
  examples: ['doctor', 'doctor my-prompts', 'doctor --json', 'doctor --acl'],
  positionals: [0, 1],
  async run([location], values, context) {
    const { json } = values
    if (values['acl'] === true) return printAcl(context)
    const print = (finding: Finding) =>
      context.stdout(json === true ? `${JSON.stringify(finding)}\n` : formatFinding(finding))
    try {
      const listening = { environment: listeningEnvironment(values, context) }
      return await report(print, environmentFor(listening, catalogOption(values, location)))
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      for (const message of error.problems) print({ ...WRONG, message })
      return EXIT.config
    }
  },
}

function printAcl({ environment, stdout }: CliContext): number {
  for (const line of aclLines(loadConfig({ environment }).keyPrefix)) stdout(`${line}\n`)
  return EXIT.ok
}

const WRONG = {
  check: 'configuration',
  status: 'fix',
  advice: 'the service does not start until this is fixed',
} as const

async function report(
  print: (finding: Finding) => void,
  environment: CliContext['environment'],
): Promise<number> {
  let isWell = true
  for await (const finding of examine({ environment, node: process.versions.node, now: Date.now })) {
    print(finding)
    isWell &&= finding.status !== 'fix'
  }
  return isWell ? EXIT.ok : EXIT.failed
}
