import type { GrpcPool } from '../transport/grpc-pool.js'
import { callHeaders } from './call-headers.js'
import type { HostPolicy } from './host-policy.js'
import type { Lazy } from './lazy-pools.js'
import { prepareHeaders } from './request-headers.js'
import { ToolFailure } from './tool-failure.js'
import type { ToolSettings } from './tool-settings.js'
import { parseUrl, resolveToolUrl } from './tool-url.js'
import type { PreparedCall, ToolWire, WireCall } from './tool-wire.js'

export interface GrpcWireOptions {
  readonly pool: Lazy<GrpcPool>
  readonly policy: HostPolicy
  readonly settings: ToolSettings
}

/** Spellings of one thing: plain text and TLS. */
const SCHEMES: readonly (readonly [RegExp, string])[] = [
  [/^grpc:\/\//i, 'http://'],
  [/^grpcs:\/\//i, 'https://'],
  [/^dns:\/\/\//i, 'http://'],
]

/** Calls unary gRPC methods. Owns the pool from here on. */
export function createGrpcWire(options: GrpcWireOptions): ToolWire {
  return {
    prepare: (call) => prepareGrpc(call, options),
    close: async () => options.pool.close(),
  }
}

function prepareGrpc(call: WireCall, { pool, policy, settings }: GrpcWireOptions): PreparedCall {
  const { connection, headers, module } = call.tool
  if (connection.type !== 'grpc') throw new ToolFailure('invalid_tool', 'not a gRPC tool')
  const bases = { byModule: settings.baseUrls, fallback: settings.baseUrl }
  // The method names the path, so of a relative url only its base counts.
  const written = resolveToolUrl(
    connection.url.startsWith('/') ? '' : connection.url,
    module,
    call.context,
    bases,
  )
  const url = parseUrl(toHttpScheme(written))
  policy.assertAllowed(url)
  const prepared = prepareHeaders(headers, settings.secrets, url)
  const { method } = connection
  const metadata = { ...callHeaders(call.caller), ...prepared.headers }
  return {
    target: url.origin,
    identity: `${url.origin}/${method}`,
    secrets: prepared.secrets,
    connection: { key: `${url.origin}/${serviceOf(method)}`, open: () => pool.connect(url, method) },
    ...(!pool.isLoaded && { load: pool.load }),
    async send({ signal, deadline }) {
      const value = await pool.call({ url, method, arguments: call.arguments, metadata, signal, deadline })
      return { value, warnings: [] }
    },
  }
}

/** `pkg.Service/Method`, or with a dot before the method. */
function serviceOf(method: string): string {
  return method.slice(0, Math.max(method.lastIndexOf('/'), method.lastIndexOf('.'), 0))
}

function toHttpScheme(url: string): string {
  return SCHEMES.reduce((text, [pattern, scheme]) => text.replace(pattern, scheme), url)
}
