import { ServiceError } from '../../errors.js'
import { didYouMean, nearNames } from './near-names.js'

/** Every name that an options object may have; the compiler sees that none is left out. */
export type OptionNames<Options> = Readonly<Record<keyof Options, true>>

/**
 * Refuses options that would do nothing: unknown names.
 *
 * @param of whose options they are, for the message
 * @throws ServiceError `invalid_config`
 */
export function assertKnownOptions<Options extends object>(
  of: string,
  options: Options,
  known: OptionNames<Required<Options>>,
): void {
  for (const name in options) {
    if (Object.hasOwn(known, name) || !Object.hasOwn(options, name)) continue
    const hint = didYouMean(nearNames(name, Object.keys(known)))
    throw new ServiceError('invalid_config', `${of} has no option "${name}"${hint}`)
  }
}
