import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

/**
 * A CommonJS package that a start needs, read at once. For an `import` Node.js would first search its text for the names of
 * its exports, which takes a fifth as long as reading the package with all that it needs. `npm run bench:start`.
 */
export function requiredPackage<Package>(name: string): Package {
  return require(name) as Package
}
