import { ConfigError } from './config.js'
import { errorMessage } from './util/errors/error-message.js'

/** What a part finds wrong with its settings is a mistake of the configuration. */
export function configured<Part>(setting: string, open: () => Part): Part {
  try {
    return open()
  } catch (error) {
    throw new ConfigError([`${setting}: ${errorMessage(error)}`])
  }
}
