import { ConfigError } from '../config.js'
import { type CliContext, type Command, EXIT } from './command.js'
import { examine } from './doctor/examine.js'
import { type Finding, formatFinding } from './doctor/finding.js'

/** `doctor`: tries everything the service needs, and says what to do. */
export const doctor: Command = {
  help: `doctor [--json]

Looks at what serve would be started with: the configuration, the release of Node, keys, the catalog's store and how it
tells of changes, the catalog, the servers of its tools, state, the rights that the queue of tasks needs, upstreams and
their keys, and the clock. Calls no tool and no model. Ends with code 0 when all is well, 1 if there is something to
mend, 78 if the configuration is wrong.

      --json   one JSON object per line: check, status (ok, note, mend), message, advice`,
  options: { json: { type: 'boolean' } },
  positionals: [0, 0],
  async run(_words, { json }, context) {
    const print = (finding: Finding) =>
      context.stdout(json === true ? `${JSON.stringify(finding)}\n` : formatFinding(finding))
    try {
      return await report(print, context)
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      for (const message of error.problems) print({ ...WRONG, message })
      return EXIT.config
    }
  },
}

const WRONG = {
  check: 'configuration',
  status: 'mend',
  advice: 'the service does not start before this is mended',
} as const

async function report(print: (finding: Finding) => void, context: CliContext): Promise<number> {
  const { environment } = context
  let isWell = true
  for await (const finding of examine({ environment, node: process.versions.node, now: Date.now })) {
    print(finding)
    isWell &&= finding.status !== 'mend'
  }
  return isWell ? EXIT.ok : EXIT.failed
}
