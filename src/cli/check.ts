import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Shell } from '../open-shell.js'
import type { Diagnostic } from '../registry/snapshot.js'
import { documentAt } from '../util/packages/version.js'
import { counted } from '../util/text/counted.js'
import { CATALOG_OPTION, catalogOption } from './catalog-option.js'
import { catalogSizes } from './catalog-sizes.js'
import { openCatalog } from './catalog-source.js'
import { type CliContext, type Command, EXIT } from './command.js'
import { type DocumentPlace, documentPlace } from './document-place.js'
import { countFindings, FINDING_FORMATS, type FindingFormat, formatDiagnostic } from './finding-format.js'
import { formatOption, runsOption } from './watch-options.js'

/** `check`: everything that is wrong or doubtful in a catalog, one line each. */
export const check: Command = {
  usage: ['check [folder, redis:// URL or file] [options]'],
  about: `Reads the whole catalog (the configured one unless given) and prints one line for each problem: "place:line:column
message; hint [code]", of a warning "place:line:column warning: …". For a file it prints the problems of that document
within its catalog. Exits with code 1 if there are errors. The problems and
how to fix them: ${documentAt('reference/check.md')}`,
  options: {
    ...CATALOG_OPTION,
    strict: { type: 'boolean', help: 'treat warnings as errors' },
    json: { type: 'boolean', help: 'print one JSON object per line, as --format json' },
    format: {
      type: 'string',
      value: '<format>',
      help: `one of ${FINDING_FORMATS.join(', ')}; github prints annotations for GitHub Actions`,
    },
    watch: { type: 'boolean', help: 'check again after every change, until interrupted' },
    limit: { type: 'string', value: '<n>', help: 'with --watch: exit after n checks' },
  },
  examples: ['check my-prompts', 'check my-prompts --watch', 'check my-prompts --strict --format github'],
  positionals: [0, 1],
  async run([word], values, context) {
    const location = catalogOption(values, word)
    const format = formatOption(values, FINDING_FORMATS)
    const looks = runsOption(values)
    const place = location !== undefined && isFile(location) ? documentPlace(location) : undefined
    const shell = await openCatalog(context, place?.catalog ?? location)
    try {
      const report = async () => {
        const found = (await shell.findings.all()).filter(isAbout(place))
        print(found, place === undefined ? catalogSizes(shell.registry.current) : place.file, format, context)
        return found
      }
      const findings = looks === 1 ? await report() : await follow(shell, report, looks)
      return exitCode(findings, values['strict'] === true)
    } finally {
      await shell.close()
    }
  },
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true
}

/** Whether a finding is about a document; about anything where none is asked for. */
function isAbout(place: DocumentPlace | undefined) {
  return ({ location }: Diagnostic) => place === undefined || resolve(location) === place.file
}

type Report = () => Promise<readonly Diagnostic[]>

/** Looks now and after every change; changes that come while it looks are looked at together. */
async function follow({ registry }: Shell, report: Report, looks: number): Promise<readonly Diagnostic[]> {
  let isChanged = false
  let wake = () => {}
  const unsubscribe = registry.subscribe(() => {
    isChanged = true
    wake()
  })
  try {
    for (let left = looks - 1; ; left -= 1) {
      isChanged = false
      const findings = await report()
      if (left <= 0) return findings
      if (!isChanged) await new Promise<void>((resolve) => (wake = resolve))
    }
  } finally {
    unsubscribe()
  }
}

/** @param subject what was looked at, in words */
function print(
  findings: readonly Diagnostic[],
  subject: string,
  format: FindingFormat,
  { stdout, stderr }: CliContext,
): void {
  for (const finding of findings) stdout(`${formatDiagnostic(finding, format)}\n`)
  const { errors, warnings } = countFindings(findings)
  stderr(`${subject}: ${counted(errors, 'error')}, ${counted(warnings, 'warning')}\n`)
}

function exitCode(findings: readonly Diagnostic[], isStrict: boolean): number {
  const { errors, warnings } = countFindings(findings)
  return errors > 0 || (isStrict && warnings > 0) ? EXIT.failed : EXIT.ok
}
