import type { FastifyRequest } from 'fastify'
import pino from 'pino'
import { describe, expect, it } from 'vitest'
import { createAccessLog } from '../../../src/http/status/access-log.js'

/** The line of a request with these fields. */
function lineOf(logFields: Readonly<Record<string, unknown>>): string {
  const lines: string[] = []
  const write = createAccessLog(pino({ base: null }, { write: (line) => void lines.push(line) }))
  const request: Partial<FastifyRequest> = {
    id: 'mine',
    method: 'POST',
    logFields,
    headers: {},
    caller: null,
  }
  write(request as FastifyRequest, '/v1/chat/completions', 200, 1.25)
  return lines.join('')
}

describe('the line of a request that went well', () => {
  it('is JSON whatever its fields hold', () => {
    const fields = {
      prompt: 'a.b',
      model: 'quoted "m" \\ \n \u2028 \ud800 é',
      upstream: 'main',
      attempts: 1,
      upstreamMs: 12.3,
      overheadMs: -0.004,
      waitMs: 0,
      longMs: 1e21,
      oddMs: Number.NaN,
      cost: 0.000044,
      cached: true,
      tools: ['a'],
    }
    const { requestId, route, durationMs, ...rest } = JSON.parse(lineOf(fields))
    expect([requestId, route, durationMs]).toEqual(['mine', '/v1/chat/completions', 1.25])
    expect(rest).toMatchObject({ ...fields, oddMs: null })
  })

  it('has no field for what is not known', () => {
    expect(lineOf({ model: undefined })).not.toContain('model')
  })
})
