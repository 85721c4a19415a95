import { createHash } from 'node:crypto'
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../support/test-app.js'

const DECODED = { br: brotliDecompressSync, gzip: gunzipSync, none: (body: Buffer) => body }
const FIRST_LOAD_BYTES = 45_000
/** The editor has two fifths of it, the reader of YAML a sixth. */
const WHOLE_PAGE_BYTES = 185_000

let service: TestApp
beforeAll(async () => {
  service = await startTestApp({}, { API_KEYS: 'secret-key-of-a-test' })
})
afterAll(() => service.close())

const get = (url: string, headers: Readonly<Record<string, string>> = {}) =>
  service.app.server.inject({ url, headers })
const browse = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

/** The files that the page names in its head. */
async function linkedFiles(): Promise<readonly string[]> {
  const { body } = await get('/', browse)
  return [...body.matchAll(/(?:href|src)="(ui\/[^"]+)"/g)].map((match) => `/${match[1]}`)
}

/** Every file there is: what is linked, and what the scripts load later. */
async function allFiles(): Promise<readonly string[]> {
  const names = new Set(await linkedFiles())
  for (const name of names) {
    const { body } = await get(name)
    for (const [, file] of body.matchAll(/["'`]\.\/([\w-]+\.js)["'`]/g)) names.add(`/ui/${file}`)
  }
  return [...names]
}

const sizes = async (files: readonly string[]) => {
  const answers = await Promise.all(files.map((file) => get(file, { 'accept-encoding': 'gzip' })))
  return answers.reduce((sum, { rawPayload }) => sum + rawPayload.length, 0)
}

describe('the page at /', () => {
  it.each([undefined, '*/*', 'application/json'])('answers %s with JSON', async (accept) => {
    const answer = await get('/', accept === undefined ? {} : { accept })
    expect(answer.json()).toMatchObject({ name: 'ai-prompt-shell', prompts: '/api/prompts' })
    expect(answer.headers.vary).toContain('accept')
  })

  it('answers browsers with a page that may do next to nothing', async () => {
    const { statusCode, headers, body } = await get('/', browse)
    expect([statusCode, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    const policy = String(headers['content-security-policy'])
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self' 'sha256-")
    expect(policy).toContain("require-trusted-types-for 'script'")
    expect(policy).not.toMatch(/unsafe|data:|\*/)
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-cache',
      'referrer-policy': 'no-referrer',
    })
    expect(body).not.toMatch(/<script(?! type="module" src=)| style=| on\w+=/)
    const styles = [...body.matchAll(/<style>([\s\S]*?)<\/style>/g)].map(([, css = '']) => css)
    const hashes = styles.map((css) => `'sha256-${createHash('sha256').update(css).digest('base64')}'`)
    expect(hashes).toHaveLength(1)
    expect(policy).toContain(`style-src 'self' ${hashes.join(' ')};`)
  })

  it('shows the documentation under a policy of its own, and has the usual answer for what is not there', async () => {
    const { headers } = await get('/docs')
    const policy = String(headers['content-security-policy'])
    expect(policy).toContain("default-src 'none'; script-src 'self';")
    expect(policy).not.toMatch(/https?:|validator|\*/)
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' })
    expect((await get('/docs/json')).payload).toBe((await get('/openapi.json')).payload)
    const missing = await get('/docs/static/none.js')
    expect([missing.statusCode, missing.json()]).toMatchObject([404, { error: { code: 'route_not_found' } }])
  })

  it('gives its files to everybody, the interface to those with a key', async () => {
    const answers = await Promise.all((await linkedFiles()).map((file) => get(file)))
    // What opens the page is one script, beside the icon and the script that starts it.
    expect(answers).toHaveLength(3)
    expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([200]))
    expect((await get('/api/prompts')).statusCode).toBe(401)
  })

  it.each([
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip, deflate', 'gzip'],
    ['br;q=0, gzip;q=0.5', 'gzip'],
    ['gzip;q=0.0', undefined],
    ['x-brand', undefined],
  ] as const)('sends what takes %s its files as %s', async (accepted, coding) => {
    const [file = ''] = (await linkedFiles()).filter((name) => name.endsWith('.js'))
    const plain = await get(file)
    const packed = await get(file, { 'accept-encoding': accepted })
    expect([plain.statusCode, packed.statusCode]).toEqual([200, 200])
    expect(plain.headers['content-encoding']).toBeUndefined()
    expect(packed.headers['content-encoding']).toBe(coding)
    expect(packed.headers.vary).toContain('accept-encoding')
    expect(DECODED[coding ?? 'none'](packed.rawPayload).equals(plain.rawPayload)).toBe(true)
  })

  it('sends its files once', async () => {
    const [file = ''] = (await linkedFiles()).filter((name) => name.endsWith('.js'))
    const plain = await get(file)
    expect(plain.headers['cache-control']).toContain('immutable')
    const again = await get(file, { 'if-none-match': String(plain.headers.etag) })
    expect([again.statusCode, again.body]).toEqual([304, ''])
  })

  it.each(['/ui/none.js', '/ui/..%2fmain.js', '/ui/%2e%2e%2fmain.js', '/ui/__proto__'])(
    'has no %s',
    async (path) => expect((await get(path)).statusCode).toBe(404),
  )

  it('is small', async () => {
    const html = gzipSync((await get('/', browse)).rawPayload).length
    expect(html + (await sizes(await linkedFiles()))).toBeLessThan(FIRST_LOAD_BYTES)
    const all = await allFiles()
    expect(all.some((name) => name.includes('draft-editor'))).toBe(true)
    expect(html + (await sizes(all))).toBeLessThan(WHOLE_PAGE_BYTES)
  })
})
