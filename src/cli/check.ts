import { relative } from 'node:path'
import { checkSequences } from '../prompts/check-sequences.js'
import type { Diagnostic } from '../registry/snapshot.js'
import { openCatalog } from './catalog-source.js'
import { type Command, EXIT } from './command.js'

/** `check`: everything that is wrong with a catalog, one line each. */
export const check: Command = {
  name: 'check',
  summary: 'lint a catalog: one line per problem',
  help: `check [directory or redis url] [options]

Reads the whole catalog (the configured one unless given) and prints "place:line:column message" per problem.
Ends with code 1 if there are errors.

      --strict   warnings count as errors`,
  options: { strict: { type: 'boolean' } },
  positionals: [0, 1],
  async run([location], values, context) {
    const shell = await openCatalog(context, location)
    try {
      const { current } = shell.registry
      const { prompts, extensions, environs, tools } = current
      const diagnostics = [...current.diagnostics, ...checkSequences(current)]
      for (const diagnostic of diagnostics) context.stdout(`${toLine(diagnostic)}\n`)
      const errors = diagnostics.filter(({ severity }) => severity === 'error').length
      const warnings = diagnostics.length - errors
      context.stderr(
        `${extensions.size} extensions, ${prompts.size} prompts, ${environs.size} environs, ${tools.size} tools: ` +
          `${errors} errors, ${warnings} warnings\n`,
      )
      return errors > 0 || (values['strict'] === true && warnings > 0) ? EXIT.failed : EXIT.ok
    } finally {
      await shell.close()
    }
  },
}

function toLine({ location, line, column, severity, message, code, prompt }: Diagnostic): string {
  const place = location.startsWith('/') ? shorter(location) : location
  const subject = prompt === undefined ? '' : ` (prompt ${prompt})`
  return `${place}:${line ?? 1}:${column ?? 1} ${severity === 'warning' ? 'warning: ' : ''}${message}${subject} [${code}]`
}

/** Relative to where the command runs, unless that leads far up. */
function shorter(path: string): string {
  const short = relative('.', path)
  return short.startsWith('..') ? path : short
}
