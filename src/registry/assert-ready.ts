import { ServiceError } from '../errors.js'
import type { Registry } from './registry.js'

/** Holds that the catalog has been loaded once. @throws ServiceError `not_ready` */
export function assertReady({ status }: Pick<Registry, 'status'>): void {
  if (!status.ready) throw new ServiceError('not_ready', 'The catalog has not been loaded yet')
}
