import { ServiceError } from '../../errors.js'

/** A client that asks again at once would add to what there is too much of. */
const RETRY_AFTER_SECONDS = '1'

/** The refusal of a request that the service has no time for. */
export function overloaded(): ServiceError {
  return new ServiceError('overloaded', 'The service is overloaded; retry later', {
    headers: { 'retry-after': RETRY_AFTER_SECONDS },
  })
}
