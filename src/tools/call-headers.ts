import type { CallContext } from '../util/call-context.js'

/** Metadata of a call for its server, besides the arguments, as HTTP headers or gRPC metadata. */
export function callHeaders({
  requestId,
  traceparent,
  idempotencyKey,
}: Pick<CallContext, 'requestId' | 'traceparent' | 'idempotencyKey'>): Readonly<Record<string, string>> {
  return {
    'x-request-id': requestId,
    ...(traceparent === undefined ? {} : { traceparent }),
    ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
  }
}
