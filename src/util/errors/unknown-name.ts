import { type ErrorCode, ServiceError } from '../../errors.js'
import { didYouMean, nearNames } from './near-names.js'

/** Error for an unknown name, with near matches in message and details. */
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
