import { type CliContext, type CommandOptions, type OptionValues, UsageError } from './command.js'
import { textOption } from './option-values.js'

/** A running service, and the key it is asked with. */
export interface ServerAddress {
  readonly url: string
  readonly key: string | undefined
}

/** Options of every command that can talk to a running service. */
export const SERVER_OPTIONS = {
  url: { type: 'string', value: '<server>', help: 'a running service, instead of this process' },
  key: { type: 'string', value: '<key>', help: 'its API key; default: AI_PROMPT_SHELL_KEY' },
} as const satisfies CommandOptions

/** Said where both are given. */
export const NOT_BOTH = '--catalog and --url exclude each other: a server has its own catalog'

/** The service of `--url`; undefined without one. @throws UsageError */
export function serverOption(values: OptionValues, context: CliContext): ServerAddress | undefined {
  const url = textOption(values, 'url')
  const key = textOption(values, 'key')
  if (url !== undefined) return { url: assertServiceUrl(url), key: key ?? environmentKey(context) }
  if (key !== undefined) throw new UsageError('--key goes with --url')
  return undefined
}

/** The key of the environment. */
export function environmentKey({ environment }: CliContext): string | undefined {
  return environment['AI_PROMPT_SHELL_KEY']
}

/** @throws UsageError for an invalid address of a service */
export function assertServiceUrl(url: string): string {
  if (!/^https?:\/\//.test(url) || !URL.canParse(url))
    throw new UsageError(`${url} is not the URL of a service: write ${near(url)}`)
  return url
}

/** The URL that a host with a port was meant to be. */
function near(url: string): string {
  return /^[\w.-]+:\d+$/.test(url) ? `http://${url}` : 'one such as http://127.0.0.1:8080'
}
