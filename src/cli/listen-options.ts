import { type CliContext, type CommandOptions, type OptionValues, UsageError } from './command.js'
import { textOption } from './option-values.js'

const HIGHEST_PORT = 65_535

/** Where the service listens: options of what serves, and of what examines how it would be served. */
export const LISTEN_OPTIONS = {
  port: {
    type: 'string',
    value: '<number>',
    help: 'port to listen on; default: PORT, or 8080; 0 takes a free one',
  },
  host: { type: 'string', value: '<address>', help: 'address to listen on; default: HOST, or 127.0.0.1' },
} as const satisfies CommandOptions

/** The environment with what the command line says about where to listen. @throws UsageError */
export function listeningEnvironment(
  values: OptionValues,
  { environment }: Pick<CliContext, 'environment'>,
): CliContext['environment'] {
  const port = textOption(values, 'port')
  const host = textOption(values, 'host')
  if (port !== undefined && !(/^\d{1,5}$/.test(port) && Number(port) <= HIGHEST_PORT))
    throw new UsageError(`--port ${port}: must be a number from 0 to ${HIGHEST_PORT}`)
  return {
    ...environment,
    ...(port !== undefined && { PORT: port }),
    ...(host !== undefined && { HOST: host }),
  }
}
