import { type OptionValues, UsageError } from './command.js'

/** The format that `--format` or `--json` names, one of these; default `text`. @throws UsageError for another one */
export function formatOption<Format extends string>(
  { json, format }: OptionValues,
  formats: readonly Format[],
): Format {
  const wanted = format ?? (json === true ? 'json' : 'text')
  const known = formats.find((name) => name === wanted)
  if (known === undefined)
    throw new UsageError(`--format ${String(wanted)}: it is one of ${formats.join(', ')}`)
  return known
}

/** How often a command with `--watch` and `--limit` does its work; once unless it watches. @throws UsageError */
export function runsOption(values: OptionValues): number {
  const { watch, limit } = values
  if (watch === true) return limitOption(values)
  if (limit !== undefined) throw new UsageError('--limit goes with --watch')
  return 1
}

/** The number that `--limit` says; default: without end. @throws UsageError */
export function limitOption({ limit }: OptionValues, standard = Number.POSITIVE_INFINITY): number {
  if (limit === undefined) return standard
  if (typeof limit !== 'string' || !/^[1-9]\d{0,8}$/.test(limit))
    throw new UsageError('--limit must be a number from 1')
  return Number(limit)
}
