import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createLogger } from '../../../src/util/telemetry/logger.js'
import { startTestApp, type TestApp } from '../../support/test-app.js'
import { waitUntil } from '../../support/wait-until.js'

const HEAD =
  'POST /api/render/prompts/t.echo HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n'

let service: TestApp
let port: number
const lines: string[] = []
beforeAll(async () => {
  const stream = new PassThrough().on('data', (chunk) => lines.push(String(chunk)))
  const documents = { 'templates/t/echo.json': { userPrompt: '{{.variables.text}}' } }
  service = await startTestApp(
    documents,
    { MAX_BODY_BYTES: '2048' },
    { logger: createLogger('info', stream) },
  )
  await service.app.server.listen({ port: 0, host: '127.0.0.1' })
  port = (service.app.server.server.address() as AddressInfo).port
})
afterAll(() => service.close())

describe('bodies on the wire', () => {
  it('keeps characters whole that arrive in pieces', async () => {
    const body = Buffer.from(JSON.stringify({ variables: { text: '编程 é 🎉' } }))
    const client = await open()
    client.write(`${HEAD}content-length: ${body.length}\r\n\r\n`)
    for (const byte of body) {
      client.write(Buffer.of(byte))
      await sleep(1)
    }
    expect(await answerOf(client)).toContain('"rendered_prompt":"编程 é 🎉"')
  })

  it('reads chunked bodies, and empty ones as no body', async () => {
    const chunked = await open()
    chunked.write(`${HEAD}transfer-encoding: chunked\r\n\r\n`)
    chunked.write('e\r\n{"variables":{\r\nd\r\n"text":"ok"}}\r\n0\r\n\r\n')
    expect(await answerOf(chunked)).toContain('"rendered_prompt":"ok"')
    const empty = await open()
    empty.write(`${HEAD}content-length: 0\r\n\r\n`)
    expect(await answerOf(empty)).toContain('"code":"missing_variables"')
  })

  // CVE-2026-25223, -3419 and -33806 of the framework: names of types that were read and not checked.
  it.each([
    'application/json\ta',
    ' application/json',
    'application/json x',
    'application/jsonx; a=b',
    'Application/JSON',
  ])('never takes an unchecked body, whatever its type is called: %j', async (type) => {
    const client = await open()
    const body = '{"variables":7}'
    client.write(HEAD.replace(': application/json', `:${type}`))
    client.write(`content-length: ${body.length}\r\n\r\n${body}`)
    expect(await answerOf(client)).toMatch(/^HTTP\/1\.1 4(00|15) /)
  })

  it('refuses what says it is too large before it is sent', async () => {
    const client = await open()
    client.write(`${HEAD}content-length: 5000\r\n\r\n`)
    expect(await answerOf(client)).toMatch(
      /^HTTP\/1\.1 413 [\s\S]*connection: close[\s\S]*"payload_too_large"/,
    )
  })

  it('refuses a chunked body as soon as it is too large, and stays up', async () => {
    const client = await open()
    client.write(`${HEAD}transfer-encoding: chunked\r\n\r\n`)
    for (let sent = 0; sent < 4; sent += 1) client.write(`400\r\n${'x'.repeat(1024)}\r\n`)
    expect(await answerOf(client)).toMatch(/^HTTP\/1\.1 413 [\s\S]*"payload_too_large"/)
    expect((await service.get('/healthz')).status).toBe(200)
  })

  it('logs a body that breaks off as a client that left, and nothing worse', async () => {
    const client = await open()
    client.write(`${HEAD}expect: 100-continue\r\ncontent-length: 500\r\n\r\n{"variables":`)
    // The head was read.
    await once(client, 'data')
    client.destroy()
    const left = () => lines.map((line) => JSON.parse(line)).filter(({ status }) => status === 499)
    await waitUntil(() => left().length > 0)
    expect(left()).toMatchObject([{ msg: 'request', route: '/api/render/prompts/:id' }])
    expect(lines.join()).not.toContain('internal_error')
  })
})

describe('what is no request', () => {
  it.each([
    { what: 'another protocol', bytes: 'HELLO\r\n\r\n', status: 400 },
    {
      what: 'a wrong length of a chunk',
      bytes: `${HEAD}transfer-encoding: chunked\r\n\r\nzz\r\n`,
      status: 400,
    },
    { what: 'two lengths', bytes: `${HEAD}content-length: 1\r\ncontent-length: 2\r\n\r\n`, status: 400 },
    { what: 'headers without end', bytes: `${HEAD}x: ${'y'.repeat(20_000)}`, status: 431 },
  ])('answers $what with $status and the usual body', async ({ bytes, status }) => {
    const client = await open()
    client.write(bytes)
    const [head, body] = (await answerOf(client)).split('\r\n\r\n') as [string, string]
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    const { status: outcome, error, request_id: id } = JSON.parse(body)
    expect([outcome, error.code]).toEqual(['error', 'invalid_request'])
    expect(head).toContain(`x-request-id: ${id}`)
    expect((await service.get('/healthz')).status).toBe(200)
  })
})

function open(): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket))
    socket.once('error', reject)
    onTestFinished(() => void socket.destroy())
  })
}

async function answerOf(socket: Socket): Promise<string> {
  let text = ''
  for await (const chunk of socket.setEncoding('utf8')) {
    text += chunk
    if (text.endsWith('}')) break
  }
  return text
}
