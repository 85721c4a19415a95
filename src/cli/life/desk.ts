import type { Config } from '../../config.js'
import type { Shell } from '../../open-shell.js'
import type { CatalogWriter } from '../../store/catalog-writer.js'
import { createDirectoryWriter } from '../../store/directory-writer.js'
import { openRedisWriter } from '../../store/redis-writer.js'
import { stringifyJson } from '../../util/json/json.js'
import { systemClock } from '../../util/time/clock.js'
import { isLabel } from '../../versions/prompt-choice.js'
import type { VersionedKind } from '../../versions/version-document.js'
import { CATALOG_OPTION, catalogOption } from '../catalog-option.js'
import { loadCatalogConfig, openCatalog } from '../catalog-source.js'
import { type CliContext, type CommandOptions, type OptionValues, UsageError } from '../command.js'
import { textOption } from '../option-values.js'
import { LifeIndex } from './life-index.js'

/** Options of every command that looks at versions and labels. */
export const READ_OPTIONS = {
  ...CATALOG_OPTION,
  agent: { type: 'boolean', help: 'the id is that of an agent' },
  json: { type: 'boolean', help: 'print each result as a line of JSON' },
} as const satisfies CommandOptions

/** Options of every command that writes versions and labels. */
export const WRITE_OPTIONS = {
  ...READ_OPTIONS,
  'dry-run': { type: 'boolean', help: 'only show what would be written' },
  by: { type: 'string', value: '<name>', help: 'who does it; default: the name of your account' },
} as const satisfies CommandOptions

/** The option of commands that say why. */
export const NOTE_OPTION = {
  note: { type: 'string', short: 'm', value: '<text>', help: 'why; shown in versions and history' },
} as const satisfies CommandOptions

/** The label that an option names; undefined without the option. @throws UsageError for an invalid label */
export function labelOption(values: OptionValues, name: string): string | undefined {
  const text = textOption(values, name)
  if (text !== undefined && !isLabel(text))
    throw new UsageError(
      `--${name} must name a label: a lower-case letter, then lower-case letters, digits, dots, dashes, underscores`,
    )
  return text
}

/** What the commands about versions and labels work with. */
export interface Desk {
  readonly config: Config
  /** The catalog as the service serves it, for checking and for what prompts include. */
  readonly shell: Shell
  readonly writer: CatalogWriter
  /** What there is of every prompt and agent. */
  readonly index: LifeIndex
  readonly kind: VersionedKind
  readonly isDry: boolean
  readonly isJson: boolean
  readonly by: string | undefined
  readonly note: string | undefined
  /** ISO 8601, UTC. */
  readonly now: () => string
  readonly stdout: CliContext['stdout']
  readonly stderr: CliContext['stderr']
}

/** Opens the catalog that a command line names, for reading and writing, and closes it after the work. */
export async function atDesk(
  values: OptionValues,
  context: CliContext,
  work: (desk: Desk) => Promise<number>,
): Promise<number> {
  const location = catalogOption(values)
  const config = loadCatalogConfig(context, location)
  const writer = await openWriter(config)
  try {
    const shell = await openCatalog(context, location)
    try {
      const { environment, stdout, stderr } = context
      return await work({
        ...{ config, shell, writer, stdout, stderr },
        index: new LifeIndex(writer),
        kind: values['agent'] === true ? 'agents' : 'templates',
        isDry: values['dry-run'] === true,
        isJson: values['json'] === true,
        by: textOption(values, 'by') ?? environment['USER'] ?? environment['LOGNAME'],
        note: textOption(values, 'note'),
        now: () => new Date(systemClock.now()).toISOString(),
      })
    } finally {
      await shell.close()
    }
  } finally {
    writer.close()
  }
}

/** @throws UsageError where only the examples of the package are configured */
function openWriter(config: Config): Promise<CatalogWriter> {
  const { redisUrl, catalogDir, keyPrefix } = config
  if (redisUrl !== undefined) return openRedisWriter(redisUrl, keyPrefix)
  if (catalogDir === undefined)
    throw new UsageError('no catalog: give --catalog, or set REDIS_URL or CATALOG_DIR')
  return Promise.resolve(createDirectoryWriter(catalogDir))
}

/** Prints what a command did: lines for people, or a line of JSON for programs. */
export function printResult({ isJson, stdout }: Desk, result: object, lines: readonly string[]): void {
  stdout(isJson ? `${stringifyJson(result)}\n` : `${lines.join('\n')}\n`)
}
