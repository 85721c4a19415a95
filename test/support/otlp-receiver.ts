import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import protobuf from 'protobufjs'

/** A span as it came over the wire. */
export interface ReceivedSpan {
  readonly name: string
  readonly traceId: string
  readonly attributes: Readonly<Record<string, unknown>>
}

/** One request with spans. */
export interface ReceivedExport {
  readonly path: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly service: unknown
  readonly spans: readonly ReceivedSpan[]
}

/** What takes spans over OTLP/HTTP in protobuf, as collectors, Jaeger and Langfuse do. */
export interface OtlpReceiver {
  readonly port: number
  readonly received: readonly ReceivedExport[]
  close(): Promise<void>
}

/** The part of `opentelemetry/proto/collector/trace/v1` that is looked at. */
const PROTO = `syntax = "proto3";
message Request { repeated ResourceSpans resource_spans = 1; }
message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; }
message Resource { repeated KeyValue attributes = 1; }
message ScopeSpans { repeated Span spans = 2; }
message Span { bytes trace_id = 1; string name = 5; repeated KeyValue attributes = 9; }
message KeyValue { string key = 1; AnyValue value = 2; }
message AnyValue { oneof value { string string_value = 1; bool bool_value = 2; int64 int_value = 3; double double_value = 4; } }`

interface WireSpan {
  readonly name: string
  readonly traceId: string
  readonly attributes?: readonly WireAttribute[]
}
interface WireAttribute {
  readonly key: string
  readonly value?: Readonly<Record<string, unknown>>
}
interface WireRequest {
  readonly resourceSpans: readonly {
    readonly resource?: { readonly attributes?: readonly WireAttribute[] }
    readonly scopeSpans: readonly { readonly spans: readonly WireSpan[] }[]
  }[]
}

/** Listens on a free port of the loopback address. */
export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const type = protobuf.parse(PROTO).root.lookupType('Request')
  const received: ReceivedExport[] = []
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece)
    const message = type.decode(Buffer.concat(pieces))
    const { resourceSpans } = type.toObject(message, { bytes: String, longs: Number }) as WireRequest
    received.push({
      path: request.url ?? '',
      headers: request.headers,
      service: valuesOf(resourceSpans[0]?.resource?.attributes)['service.name'],
      spans: resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans.map(toSpan))),
    })
    response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    received,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function toSpan({ name, traceId, attributes }: WireSpan): ReceivedSpan {
  return { name, traceId: Buffer.from(traceId, 'base64').toString('hex'), attributes: valuesOf(attributes) }
}

function valuesOf(attributes: readonly WireAttribute[] = []): Readonly<Record<string, unknown>> {
  return Object.fromEntries(attributes.map(({ key, value = {} }) => [key, Object.values(value)[0]]))
}
