import type { World } from './world.js'

/** One exchange with the service: how it ended, and what is wrong about that. */
export interface Exchange {
  /** The status, or how the connection ended. */
  readonly ended: string
  readonly mistake: string | undefined
}

/** A kind of load; `count` numbers its exchanges. */
export type Load = (world: World, count: number) => Promise<Exchange>

/** What came back, JSON parsed. */
export interface Answer {
  readonly status: number
  readonly body: unknown
}

/** What a call of a model may end with while its upstream is cut off, and one of state while Redis is. */
export const OUTAGES: readonly number[] = [502, 503, 504]

const PATIENCE_MS = 30_000

/** What the service refuses while there is too much of everything is refused rightly. */
const OVERLOADED = /"code":"overloaded"/

/** Tells how an exchange ended. */
export function exchange(status: number | string, isRight: boolean, body: unknown): Exchange {
  const said = typeof body === 'string' ? body : (JSON.stringify(body) ?? '')
  if (status === 503 && OVERLOADED.test(said)) return { ended: '503 overloaded', mistake: undefined }
  return { ended: String(status), mistake: isRight ? undefined : `${status} ${said.slice(0, 300)}` }
}

/** Sends a request, with the key that may do everything unless another one is given. */
export async function send(
  { service, keys }: World,
  method: string,
  path: string,
  body?: object,
  key: string | undefined = keys.all,
): Promise<Answer> {
  const response = await fetch(service.url + path, {
    method,
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(key !== '' && { authorization: `Bearer ${key}` }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(PATIENCE_MS),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.includes('json') === true
  return { status: response.status, body: isJson ? JSON.parse(text) : text }
}
