import { createRequire } from 'node:module'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { readPackageInParts } from '../../../../src/util/packages/package-parts.js'

const require = createRequire(import.meta.url)
/** About what takes ten milliseconds to read. */
const MOST_FILES = 20
/** What other tests have read, which they keep. */
const known: (readonly [string, NodeJS.Module])[] = []

const isOfPackages = (path: string) =>
  /node_modules\/(ajv|yaml|fast-uri|fast-deep-equal|json-schema-traverse|prom-client|tdigest|bintrees|@opentelemetry\/api)\//.test(
    path,
  )

beforeEach(() => {
  for (const path of Object.keys(require.cache).filter(isOfPackages)) {
    const module = require.cache[path]
    if (module !== undefined) known.push([path, module])
    delete require.cache[path]
  }
})
afterEach(() => {
  for (const path of Object.keys(require.cache).filter(isOfPackages)) delete require.cache[path]
  for (const [path, module] of known.splice(0)) require.cache[path] = module
})

it.each(['ajv', 'yaml', 'prom-client'] as const)(
  '%s is read a few files at a time, and then is there',
  (name) => {
    const count = () => Object.keys(require.cache).filter(isOfPackages).length
    const counts: number[] = []
    let before = count()
    const look = () => {
      counts.push(count() - before)
      before = count()
    }
    for (const _ of readPackageInParts(name)) look()
    require(name)
    look()
    expect(counts.reduce((sum, each) => sum + each)).toBeGreaterThan(50)
    expect(Math.max(...counts)).toBeLessThanOrEqual(MOST_FILES)
  },
)
