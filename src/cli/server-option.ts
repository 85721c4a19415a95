import { type CliContext, type OptionValues, UsageError } from './command.js'
import { textOption } from './option-values.js'

/** A running service, and the key it is asked with. */
export interface ServerAddress {
  readonly url: string
  readonly key: string | undefined
}

/** Options of every command that can talk to a running service. */
export const SERVER_OPTIONS = { url: { type: 'string' }, key: { type: 'string' } } as const

/** Their lines of the help. */
export const SERVER_HELP = `      --url <server>       a running service instead of this process
      --key <key>          its API key; default: AI_PROMPT_SHELL_KEY`

/** The service of `--url`; undefined without one. @throws UsageError */
export function serverOption(values: OptionValues, context: CliContext): ServerAddress | undefined {
  const url = textOption(values, 'url')
  const key = textOption(values, 'key')
  if (url !== undefined) return { url: assertServiceUrl(url), key: key ?? keyIn(context) }
  if (key !== undefined) throw new UsageError('--key goes with --url')
  return undefined
}

/** The key of the environment. */
export function keyIn({ environment }: CliContext): string | undefined {
  return environment['AI_PROMPT_SHELL_KEY']
}

/** @throws UsageError for what is no address of a service */
export function assertServiceUrl(url: string): string {
  if (!/^https?:\/\//.test(url) || !URL.canParse(url))
    throw new UsageError(`${url} is not a url of a service, such as http://127.0.0.1:8080`)
  return url
}
