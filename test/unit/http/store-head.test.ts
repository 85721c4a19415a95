import { IncomingMessage, OutgoingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { describe, expect, it, vi } from 'vitest'
import { storeHead } from '../../../src/http/answers/store-head.js'

interface Answer {
  readonly status?: number
  readonly headers?: readonly string[]
  readonly length?: number
  readonly method?: string
  readonly change?: (response: ServerResponse) => unknown
}

const HEADERS = ['content-type', 'text/plain; charset=utf-8', 'x-request-id', 'mine']

/** The head that a response got: its lines, sorted, as their order says nothing; and whether Node wrote all of it itself. */
function headOf({ status = 200, headers = HEADERS, length, method = 'POST', change }: Answer) {
  const response = newResponse(method)
  const store = vi.spyOn(OutgoingMessage.prototype as unknown as { _storeHeader(): void }, '_storeHeader')
  change?.(response)
  try {
    storeHead(response, status, [...headers], length)
    const given: readonly unknown[] = store.mock.calls[0] ?? []
    return { head: sorted(response), isNodes: given[1] !== undefined, response }
  } finally {
    store.mockRestore()
  }
}

/** What Node writes of the same. */
function expectedOf({ status = 200, headers = HEADERS, length, method = 'POST', change }: Answer): string[] {
  const response = newResponse(method)
  change?.(response)
  const all = length === undefined ? headers : [...headers, 'content-length', String(length)]
  response.writeHead(status, [...all])
  return sorted(response)
}

function newResponse(method: string): ServerResponse {
  const request = new IncomingMessage(new Socket())
  Object.assign(request, { method, httpVersionMajor: 1, httpVersionMinor: 1 })
  const response = new ServerResponse(request)
  response.shouldKeepAlive = true
  response.sendDate = false
  return response
}

function sorted(response: ServerResponse): string[] {
  const head = String(Reflect.get(response, '_header'))
  const [first = '', ...lines] = head.trimEnd().split('\r\n')
  return [first, ...lines.map((line) => line.replace(/^[^:]+/, (name) => name.toLowerCase())).sort()]
}

describe('the head of an answer', () => {
  it.each<[string, Answer]>([
    ['of a length', { length: 12 }],
    ['without bytes', { length: 0 }],
    ['in chunks', {}],
    ['that failed', { status: 503, length: 3, headers: [...HEADERS, 'retry-after', '1'] }],
    [
      'on a connection that ends',
      { length: 3, change: (response) => Object.assign(response, { shouldKeepAlive: false }) },
    ],
    ['with a status that has no words', { status: 299, length: 1 }],
    [
      'with times and words of its own',
      {
        length: 1,
        headers: [...HEADERS, 'server-timing', 'llm;dur=1.2', 'x-content-type-options', 'nosniff'],
      },
    ],
  ])('is what Node writes of an answer %s', (_name, answer) => {
    const { head, isNodes, response } = headOf(answer)
    expect(head).toEqual(expectedOf(answer))
    expect(isNodes).toBe(false)
    expect(response.statusCode).toBe(answer.status ?? 200)
    expect(response.headersSent).toBe(true)
  })

  it.each<[string, Answer]>([
    ['of an answer to HEAD', { method: 'HEAD', length: 12 }],
    ['without a body', { status: 204 }],
    ['that says how the connection continues', { headers: [...HEADERS, 'connection', 'close'], length: 1 }],
    ['that says how it is framed', { headers: [...HEADERS, 'transfer-encoding', 'chunked'] }],
    ['that was begun', { length: 1, change: (response) => response.setHeader('x-early', '1') }],
  ])('is left to Node where it is one %s', (_name, answer) => {
    const { head, isNodes } = headOf(answer)
    expect(isNodes).toBe(true)
    expect(head).toEqual(expectedOf(answer))
  })

  it('is left to a Node that keeps heads in another way', () => {
    const { head, isNodes } = headOf({ length: 1, change: hideStore })
    expect(isNodes).toBe(true)
    expect(head).toEqual(expectedOf({ length: 1 }))
  })

  it('has no value that would begin another line', () => {
    const headers = ['x-prompt-label', 'a\r\nset-cookie: b']
    expect(() => headOf({ headers, length: 1 })).toThrow(/Invalid character/)
  })

  it('is left to who gives the response another writeHead', () => {
    const own = vi.fn()
    headOf({ length: 5, change: (response) => Object.assign(response, { writeHead: own }) })
    expect(own.mock.calls).toEqual([[200, [...HEADERS, 'content-length', '5']]])
  })
})

/** Node itself still finds it. */
function hideStore(response: ServerResponse): void {
  const store: unknown = Reflect.get(response, '_storeHeader')
  let isAsked = false
  Object.defineProperty(response, '_storeHeader', {
    get: () => {
      const seen = isAsked ? store : undefined
      isAsked = true
      return seen
    },
  })
}
