import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Sliced } from '../slices/sliced.js'

const require = createRequire(import.meta.url)

/** Files of CommonJS packages of many files, in an order in which each needs few that were not read before. */
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
  undici: [
    'lib/core/errors.js',
    'lib/core/constants.js',
    'lib/core/diagnostics.js',
    'lib/core/connect.js',
    'lib/llhttp/constants.js',
    'lib/dispatcher/client-h1.js',
    'lib/dispatcher/client-h2.js',
    'lib/dispatcher/client.js',
    'lib/dispatcher/h2c-client.js',
    'lib/mock/mock-client.js',
    'lib/mock/snapshot-agent.js',
    'lib/util/cache.js',
    'lib/handler/deduplication-handler.js',
    'lib/web/fetch/data-url.js',
    'lib/web/webidl/index.js',
    'lib/web/fetch/util.js',
    'lib/util/promise.js',
    'lib/web/fetch/request.js',
    'lib/web/subresource-integrity/subresource-integrity.js',
    'lib/web/fetch/index.js',
    'lib/web/cookies/parse.js',
    'lib/web/cookies/index.js',
    'lib/web/websocket/websocket.js',
    'lib/web/eventsource/eventsource.js',
  ],
  '@grpc/grpc-js': [
    'resolver.js',
    'channel-credentials.js',
    'load-balancer-child-handler.js',
    'resolving-load-balancer.js',
    'make-client.js',
    'channelz.js',
    'single-subchannel-channel.js',
    'subchannel-call.js',
    'transport.js',
    'subchannel-interface.js',
    'server-call.js',
    'server-interceptors.js',
    'certificate-provider.js',
    'load-balancer-weighted-round-robin.js',
  ],
  protobufjs: [
    'src/util/longbits.js',
    'src/util/minimal.js',
    'src/roots.js',
    'src/util.js',
    'src/mapfield.js',
  ],
  'prom-client': [
    'lib/summary.js',
    'lib/pushgateway.js',
    'lib/metrics/osMemoryHeap.js',
    'lib/metrics/gc.js',
    'lib/cluster.js',
  ],
} as const

export type PackageOfParts = keyof typeof PARTS

/** Reads a package file by file, each by one step: nobody waits for all of them. A later use finds it read. */
export function* readPackageInParts(name: PackageOfParts): Sliced<void> {
  for (const file of PARTS[name]) {
    try {
      require(join(dirname(require.resolve(name)), file))
    } catch {
      // Another release has other files: then its first use reads more at once.
    }
    yield
  }
}
