import { type CommandOptions, type OptionValues, UsageError } from './command.js'
import { textOption } from './option-values.js'

/** The option of every command that reads a catalog. */
export const CATALOG_OPTION = {
  catalog: {
    type: 'string',
    value: '<where>',
    help: 'a directory or a redis:// URL; default: REDIS_URL or CATALOG_DIR',
  },
} as const satisfies CommandOptions

/** The catalog that a command line names, by `--catalog` or as a word; undefined for the configured one. @throws UsageError */
export function catalogOption(values: OptionValues, word?: string): string | undefined {
  const option = textOption(values, 'catalog')
  if (word !== undefined && option !== undefined)
    throw new UsageError(`the catalog is given twice, ${word} and --catalog ${option}: keep one`)
  return word ?? option
}
