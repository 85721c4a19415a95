import { ServiceError } from '../../errors.js'

/** The error `invalid_request` for one part of a request. @param param its dotted path */
export function invalidInput(param: string, message: string): ServiceError {
  return new ServiceError('invalid_request', message, { param })
}

/** The error `invalid_request` for a problem of a part, such as `must be a text`. The message begins with the part. */
export function invalidField(param: string, problem: string): ServiceError {
  return invalidInput(param, `\`${param}\` ${problem}`)
}
