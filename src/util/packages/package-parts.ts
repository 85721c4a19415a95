import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Sliced } from '../slices/sliced.js'

const require = createRequire(import.meta.url)

/** Files of CommonJS packages with a hundred of them, in an order in which each needs few that were not read before. */
const PARTS = {
  ajv: [
    'compile/codegen/index.js',
    'runtime/uri.js',
    'compile/validate/dataType.js',
    'compile/validate/index.js',
    'vocabularies/core/index.js',
    'vocabularies/validation/index.js',
    'vocabularies/applicator/index.js',
    'vocabularies/draft7.js',
    'core.js',
  ],
  yaml: [
    'visit.js',
    'nodes/Collection.js',
    'stringify/stringifyString.js',
    'nodes/YAMLMap.js',
    'schema/core/schema.js',
    'schema/json/schema.js',
    'schema/yaml-1.1/set.js',
    'schema/Schema.js',
    'doc/Document.js',
    'parse/cst.js',
    'compose/compose-collection.js',
    'compose/composer.js',
  ],
  'prom-client': [
    // What its metric of the processor time reads.
    '../@opentelemetry/api/build/src/diag-api.js',
    '../@opentelemetry/api/build/src/propagation-api.js',
    '../@opentelemetry/api/build/src/trace-api.js',
    '../@opentelemetry/api/build/src/metrics-api.js',
    '../@opentelemetry/api/build/src/index.js',
    'lib/registry.js',
    'lib/counter.js',
    'lib/summary.js',
    'lib/pushgateway.js',
    'lib/defaultMetrics.js',
  ],
} as const

/** Reads a package file by file, each by one step: nobody waits for all of them. A later use finds it read. */
export function* readPackageInParts(name: keyof typeof PARTS): Sliced<void> {
  const directory = dirname(require.resolve(name))
  for (const file of PARTS[name]) {
    try {
      require(join(directory, file))
    } catch {
      // Another release has other files: then its first use reads more at once.
    }
    yield
  }
}
