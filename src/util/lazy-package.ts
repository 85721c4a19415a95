import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

/** A CommonJS package that is read at its first use: what a start does not need does not belong to it. */
export function lazyPackage<Package>(name: string): () => Package {
  let loaded: Package | undefined
  return () => {
    loaded ??= require(name) as Package
    return loaded
  }
}
