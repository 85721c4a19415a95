import { createRequire } from 'node:module'
import { once } from './once.js'

const require = createRequire(import.meta.url)

/** A CommonJS package that is read at its first use: what a start does not need does not belong to it. */
export function lazyPackage<Package>(name: string): () => Package {
  return once(() => require(name) as Package)
}
