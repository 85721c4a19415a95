import { type ErrorCode, ServiceError } from '../../errors.js'
import { didYouMean, nearNames } from './near-names.js'

/** The error for a name that is none of those there are: near ones are suggested, in words and in the details. */
export function unknownName(
  code: ErrorCode,
  problem: string,
  wanted: string,
  names: readonly string[],
  param?: string,
): ServiceError {
  const near = nearNames(wanted, names)
  return new ServiceError(code, problem + didYouMean(near), {
    ...(param !== undefined && { param }),
    ...(near.length > 0 && { details: { near } }),
  })
}
