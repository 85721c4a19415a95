import { execFile } from 'node:child_process'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'

const run = promisify(execFile)
const script = resolve(import.meta.dirname, '../../../scripts/pin-images.mjs')
const DIGEST = `sha256:${'0f'.repeat(32)}`
const asked: string[] = []
let registry: Server
let host: string

/** A registry that tells nothing without the token that it gives everybody. */
function answer({
  url = '',
  headers,
  method,
}: IncomingMessage): readonly [number, Record<string, string>, string] {
  asked.push(`${method} ${url}`)
  if (url.startsWith('/token')) return [200, {}, JSON.stringify({ token: 'for-everybody' })]
  if (headers.authorization !== 'Bearer for-everybody') {
    const challenge = `Bearer realm="http://${host}/token",service="registry",scope="repository:library/node:pull"`
    return [401, { 'www-authenticate': challenge }, '']
  }
  if (!headers.accept?.includes('image.index') || !url.endsWith('/24-slim')) return [404, {}, '']
  return [200, { 'docker-content-digest': DIGEST }, '']
}

beforeAll(async () => {
  registry = createServer((request, response) => {
    const [status, headers, body] = answer(request)
    response.writeHead(status, headers).end(body)
  })
  await new Promise<void>((done) => registry.listen(0, '127.0.0.1', done))
  const { port } = registry.address() as AddressInfo
  host = `127.0.0.1:${port}`
})
afterAll(() => registry.close())

it('tells the digest that a tag has now, with a token where one is asked for', async () => {
  const { stdout } = await run(process.execPath, [script, `BUILD_IMAGE=${host}/library/node:24-slim`])
  expect(stdout).toBe(`BUILD_IMAGE=${host}/library/node:24-slim@${DIGEST}\n`)
  expect(asked).toEqual([
    'HEAD /v2/library/node/manifests/24-slim',
    'GET /token?service=registry&scope=repository%3Alibrary%2Fnode%3Apull',
    'HEAD /v2/library/node/manifests/24-slim',
  ])
})

it('fails where there is no such image', async () => {
  await expect(run(process.execPath, [script, `X=${host}/library/node:1`])).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('answers 404 and tells no digest'),
  })
})
