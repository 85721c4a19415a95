import { once } from '../once.js'
import { readyOutside } from '../slices/slice.js'
import { requiredPackage } from './required-package.js'

/**
 * A CommonJS package that is read at its first use: what a start does not need does not belong to it.
 *
 * @throws NotReady inside of a slice that would be the first to use it: a package that is read half stays half read
 */
export function lazyPackage<Package>(name: string): () => Package {
  return readyOutside(once(() => requiredPackage<Package>(name)))
}
