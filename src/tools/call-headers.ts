import type { CallContext } from '../util/call-context.js'

/** What a server is told of a call beside its arguments, by HTTP header or gRPC metadata. */
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
