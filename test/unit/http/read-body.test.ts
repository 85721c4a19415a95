import type { IncomingMessage } from 'node:http'
import { PassThrough } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { readBody } from '../../../src/http/requests/read-body.js'

const MAX_BYTES = 4

/** Sends pieces, and perhaps breaks off; what came of it. */
async function read(pieces: readonly Buffer[], { announced = '', breaks = false } = {}) {
  const headers = announced === '' ? {} : { 'content-length': announced }
  const payload = Object.assign(new PassThrough(), { headers })
  const told: unknown[] = []
  const refuse = (
    error: Error & { readonly code?: string; readonly status?: number; readonly statusCode?: number },
  ) => told.push([error.code ?? error.message, error.status ?? error.statusCode])
  readBody(
    payload as PassThrough & IncomingMessage,
    MAX_BYTES,
    (body) => void told.push({ taken: body.joined() }),
    refuse,
  )
  for (const piece of pieces) {
    payload.write(piece)
    await turn()
  }
  if (breaks) payload.destroy(new Error('aborted'))
  else payload.end()
  await turn()
  await turn()
  return { told, isHeard: payload.listenerCount('data') > 0 }
}

const TOO_LARGE = ['payload_too_large', 413]

describe('reading a body', () => {
  it('gives what came in one piece without a copy', async () => {
    const piece = Buffer.from('abcd')
    const { told } = await read([piece], { announced: '4' })
    expect((told[0] as { readonly taken: Buffer }).taken).toBe(piece)
  })

  it('gives its pieces together', async () => {
    const { told } = await read([Buffer.from('ab'), Buffer.from('cd')], { announced: '4' })
    expect(told).toEqual([{ taken: Buffer.from('abcd') }])
  })

  it('gives nothing of an empty one', async () => {
    expect((await read([])).told).toEqual([{ taken: Buffer.alloc(0) }])
  })

  it('does not listen to one that is announced to be too large', async () => {
    expect(await read([Buffer.from('ab')], { announced: '5' })).toEqual({ told: [TOO_LARGE], isHeard: false })
  })

  it.each([true, false])(
    'refuses once what turns out to be too large, whatever comes then: %s',
    async (breaks) => {
      const pieces = ['abc', 'de', 'f', 'g'].map((text) => Buffer.from(text))
      expect((await read(pieces, { breaks })).told).toEqual([TOO_LARGE])
    },
  )

  it('refuses one that breaks off', async () => {
    expect((await read([Buffer.from('a')], { breaks: true })).told).toEqual([['aborted', 400]])
  })
})
