import { isIP } from 'node:net'
import { Client, type ClientOptions, connectivityState, Metadata, status } from '@grpc/grpc-js'
import type protobuf from 'protobufjs'
import { whenAborted } from '../util/cancellation.js'
import { errorMessage } from '../util/errors/error-message.js'
import { getOrCreate } from '../util/get-or-create.js'
import type { JsonObject, JsonValue } from '../util/json/json.js'
import { bareHostname } from './address.js'
import { ConnectionCache } from './connection-cache.js'
import { createGrpcCredentials, type PemTexts } from './grpc-credentials.js'
import { reflectService } from './grpc-reflection.js'
import { findGrpcMethod, type GrpcMethod, type MethodName, parseMethodName } from './grpc-schema.js'
import { type AddressGuard, resolveGuarded } from './guarded-lookup.js'
import { MAX_GRPC_CHANNELS } from './limits.js'
import { decodeInPieces, encodeMessage } from './protobuf-json.js'
import { errorCodeText, tooLarge, WireError, type WireFailure } from './wire-error.js'

export interface GrpcPoolOptions extends AddressGuard {
  /** Services described by `.proto` files; the others are asked for by reflection. */
  readonly schema: protobuf.Root
  readonly tls: PemTexts
  readonly maxResponseBytes: number
  readonly userAgent: string
  /** How long the discovery of a service may take, for all calls that wait for it. */
  readonly reflectionTimeoutMs: number
}

export interface GrpcCall {
  /** `http:` is plain text, `https:` is TLS. */
  readonly url: URL
  readonly method: string
  readonly arguments: JsonObject
  readonly metadata: Readonly<Record<string, string>>
  readonly signal: AbortSignal
  /** Epoch milliseconds; sent to the server. */
  readonly deadline: number
}

/** Kept channels to gRPC servers. */
export interface GrpcPool {
  /** One unary call. @throws WireError */
  call(request: GrpcCall): Promise<JsonValue>
  /** Opens the channel and learns what the service of a method is, so that the first call finds both. @throws WireError */
  connect(url: URL, method: string): Promise<void>
  close(): void
}

interface Connection {
  readonly client: Client
  /** By service; one question to the server at a time. */
  readonly schemas: Map<string, Promise<protobuf.Root>>
}

/** After this time a name is looked up again. */
const CHANNEL_LIFETIME_MS = 5 * 60_000
/** Descriptors of a large service exceed what its answers may be. */
const MIN_MESSAGE_BYTES = 4 * 1024 * 1024

/** Creates a pool. It opens a channel when it is first needed. */
export function createGrpcPool(options: GrpcPoolOptions): GrpcPool {
  return new GrpcChannels(options)
}

/**
 * Channels are pinned to addresses that were looked up and checked here: the library never resolves a name itself,
 * and never uses a proxy.
 */
class GrpcChannels implements GrpcPool {
  readonly #options: GrpcPoolOptions
  readonly #connections = new ConnectionCache<Connection>({
    max: MAX_GRPC_CHANNELS,
    ttlMs: CHANNEL_LIFETIME_MS,
    close: ({ client }) => client.close(),
  })

  constructor(options: GrpcPoolOptions) {
    this.#options = options
  }

  async call(request: GrpcCall): Promise<JsonValue> {
    const { url } = request
    const { maxResponseBytes } = this.#options
    const connection = this.#connectionTo(url)
    try {
      const { client, schemas } = await connection
      const method = await methodOf(client, schemas, parseMethodName(request.method), this.#options)
      const reply = await unary(client, method, request)
      if (reply.length > maxResponseBytes) throw tooLarge(url, maxResponseBytes)
      return await decodeInPieces(method.responseType, reply)
    } catch (error) {
      const failure = toWireError(error, request)
      // A new channel connects at once, where this one would wait out its backoff, or for a server that is stuck.
      if (isBroken(failure) || !(await isReady(connection))) this.#connections.forget(url.origin, connection)
      throw failure
    }
  }

  async connect(url: URL, name: string): Promise<void> {
    const connection = this.#connectionTo(url)
    try {
      const { client, schemas } = await connection
      await methodOf(client, schemas, parseMethodName(name), this.#options)
      client.getChannel().getConnectivityState(true)
    } catch (error) {
      this.#connections.forget(url.origin, connection)
      throw error
    }
  }

  close(): void {
    void this.#connections.close()
  }

  #connectionTo(url: URL): Promise<Connection> {
    return this.#connections.get(url.origin, () => openChannel(url, this.#options))
  }
}

function isBroken({ failure }: WireError): boolean {
  return failure === 'unreachable' || failure === 'connection_lost'
}

async function isReady(connection: Promise<Connection>): Promise<boolean> {
  const client = await connection.then((each) => each.client, ignore)
  return client?.getChannel().getConnectivityState(false) === connectivityState.READY
}

async function openChannel(url: URL, options: GrpcPoolOptions): Promise<Connection> {
  const hostname = bareHostname(url.hostname)
  const found = await resolveGuarded(hostname, options)
  const family = found[0]?.family === 6 ? 6 : 4
  const port = url.port === '' ? (url.protocol === 'https:' ? '443' : '80') : url.port
  const targets = found
    .filter((entry) => entry.family === family)
    .map(({ address }) => (family === 6 ? `[${address}]:${port}` : `${address}:${port}`))
  const credentials = createGrpcCredentials(hostname, url.protocol === 'https:' ? options.tls : undefined)
  const client = new Client(`ipv${family}:${targets.join(',')}`, credentials, {
    ...channelOptions(options),
    'grpc.default_authority': url.host,
    // A certificate for an address is checked against the address itself.
    ...(url.protocol === 'https:' && isIP(hostname) === 0
      ? { 'grpc.ssl_target_name_override': hostname }
      : {}),
  })
  return { client, schemas: new Map() }
}

function channelOptions({ maxResponseBytes, userAgent }: GrpcPoolOptions): ClientOptions {
  return {
    'grpc.primary_user_agent': userAgent,
    'grpc.max_receive_message_length': Math.max(maxResponseBytes, MIN_MESSAGE_BYTES),
    'grpc.use_local_subchannel_pool': 1,
    'grpc.enable_http_proxy': 0,
    'grpc.enable_retries': 0,
    'grpc.service_config_disable_resolution': 1,
  }
}

async function methodOf(
  client: Client,
  schemas: Map<string, Promise<protobuf.Root>>,
  name: MethodName,
  options: GrpcPoolOptions,
): Promise<GrpcMethod> {
  const local = findGrpcMethod(options.schema, name)
  if (local !== undefined) return local
  const root = await reflected(client, schemas, name.service, options)
  const method = findGrpcMethod(root, name)
  if (method === undefined)
    throw new WireError('invalid_tool', `${name.service} has no method ${name.method}`)
  return method
}

function reflected(
  client: Client,
  schemas: Map<string, Promise<protobuf.Root>>,
  service: string,
  { reflectionTimeoutMs }: GrpcPoolOptions,
): Promise<protobuf.Root> {
  return getOrCreate(schemas, service, () => {
    const asked = reflectService(client, service, Date.now() + reflectionTimeoutMs)
    asked.catch(() => schemas.delete(service))
    return asked
  })
}

function unary(client: Client, method: GrpcMethod, request: GrpcCall): Promise<Buffer> {
  const body = encodeMessage(method.requestType, request.arguments)
  const metadata = toMetadata(request.metadata)
  return new Promise((resolve, reject) => {
    const identity = (bytes: Buffer) => bytes
    const { path } = method
    const { signal, deadline } = request
    const call = client.makeUnaryRequest(
      path,
      identity,
      identity,
      body,
      metadata,
      { deadline },
      (error, reply) => {
        signal.removeEventListener('abort', cancel)
        if (error === null) resolve(reply ?? Buffer.alloc(0))
        else reject(toWireError(error, request, call.getPeer() !== client.getChannel().getTarget()))
      },
    )
    const cancel = () => call.cancel()
    whenAborted(signal, cancel)
  })
}

function toMetadata(headers: Readonly<Record<string, string>>): Metadata {
  const metadata = new Metadata()
  for (const [name, value] of Object.entries(headers)) {
    try {
      metadata.set(name, value)
    } catch (cause) {
      throw new WireError('invalid_tool', `"${name}" cannot be gRPC metadata`, { cause })
    }
  }
  return metadata
}

/** gRPC's statuses in our words; the others are `upstream_error`. CANCELLED is ours only if we cancelled. */
const FAILURES: Readonly<Record<number, WireFailure>> = {
  [status.INVALID_ARGUMENT]: 'rejected',
  [status.DEADLINE_EXCEEDED]: 'timeout',
  [status.NOT_FOUND]: 'rejected',
  [status.ALREADY_EXISTS]: 'rejected',
  [status.PERMISSION_DENIED]: 'rejected',
  [status.UNAUTHENTICATED]: 'rejected',
  [status.FAILED_PRECONDITION]: 'rejected',
  [status.OUT_OF_RANGE]: 'rejected',
  [status.UNIMPLEMENTED]: 'rejected',
}

/**
 * A failed call as a wire failure.
 *
 * @param isSent whether the call was given a connection: a call that never had one has the channel's target for its peer
 */
function toWireError(error: unknown, { url, signal }: GrpcCall, isSent = false): WireError {
  if (error instanceof WireError) return error
  if (signal.aborted)
    return new WireError('cancelled', `the call to ${url.host} was given up`, { cause: error })
  const code = statusOf(error)
  if (code === undefined) {
    return new WireError('connection_lost', `the call to ${url.host} failed (${errorCodeText(error)})`, {
      cause: error,
    })
  }
  const details = detailsOf(error)
  const message = `answered ${status[code]}: ${details}`.slice(0, 300)
  if (code === status.RESOURCE_EXHAUSTED && /larger than max/i.test(details)) {
    return new WireError('too_large', `the reply of ${url.host} is larger than the limit`, { cause: error })
  }
  // The library says UNAVAILABLE where there is no connection and where one broke, a server where it cannot serve.
  if (code === status.UNAVAILABLE)
    return new WireError(isSent ? 'connection_lost' : 'unreachable', message, { cause: error })
  return new WireError(FAILURES[code] ?? 'upstream_error', message, { cause: error })
}

function ignore(): void {}

/** The status of a call that was answered; undefined where the connection broke. */
function statusOf(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined
  return typeof error.code === 'number' ? error.code : undefined
}

/** The server's own words. */
function detailsOf(error: unknown): string {
  const hasDetails = typeof error === 'object' && error !== null && 'details' in error
  return hasDetails && typeof error.details === 'string' ? error.details : errorMessage(error)
}
