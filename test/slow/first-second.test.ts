import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

/** Of more than three hundred. */
const MOST_AT_ONCE = 40
const ROOT = join(import.meta.dirname, '../..')

/** Every module says when it was run. */
const HOOKS = `
  export async function load(url, context, next) {
    const loaded = await next(url, context)
    if (loaded.format !== 'module' || !url.includes('/node_modules/')) return loaded
    return { ...loaded, source: loaded.source + '\\n;globalThis.wasRun(import.meta.url)' }
  }`

/** Reads a side's modules, and what is left of it afterwards; how many modules were run in each turn of the loop. */
const programOf = (read: string, packages: readonly string[]) => `
  import { register } from 'node:module'
  register('data:text/javascript,' + encodeURIComponent(${JSON.stringify(HOOKS)}))
  let isOver = false
  let turn = 0
  const turns = new Map()
  globalThis.wasRun = () => turns.set(turn, (turns.get(turn) ?? 0) + 1)
  const next = () => {
    turn += 1
    if (!isOver) setImmediate(next)
  }
  next()
  const { ${read} } = await import('./dist/util/packages/read-mcp.js')
  await ${read}()
  const inParts = [...turns.values()]
  turns.clear()
  for (const name of ${JSON.stringify(packages)}) await import(name)
  isOver = true
  console.log(JSON.stringify({ inParts, afterwards: [...turns.values()] }))`

it.each([
  ['client', 'readMcpClient', ['@modelcontextprotocol/client', '@modelcontextprotocol/client/stdio']],
  ['server', 'readMcpServer', ['@modelcontextprotocol/server']],
])('the modules of the MCP %s are run a few at a time, and none of them later', async (_, read, packages) => {
  const child = spawn(process.execPath, ['--input-type=module', '-e', programOf(read, packages)], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let said = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  expect(await once(child, 'close')).toEqual([0, null])
  const { inParts, afterwards } = JSON.parse(said)
  expect(inParts.reduce((sum: number, count: number) => sum + count, 0)).toBeGreaterThan(100)
  expect(Math.max(...inParts)).toBeLessThan(MOST_AT_ONCE)
  expect(afterwards).toEqual([])
})

it("the platform's own fetch is read before what uses it while it is read", () => {
  const program = `
    const isRead = () => Object.getOwnPropertyDescriptor(globalThis, 'Headers').get === undefined
    const { readFetch } = await import('./dist/util/packages/read-fetch.js')
    const before = isRead()
    await readFetch()
    console.log(JSON.stringify([before, isRead()]))`
  const said = execFileSync(process.execPath, ['--input-type=module', '-e', program], { cwd: ROOT })
  expect(JSON.parse(String(said))).toEqual([false, true])
  // What is bundled for the service still does.
  const bundle = join(ROOT, 'dist/bundle')
  const code = readdirSync(bundle).map((file) => readFileSync(join(bundle, file), 'utf8'))
  expect(code.filter((text) => text.includes('globalThis.Headers'))).toHaveLength(1)
})

it("the HTTP client is read without the platform's own, which is there for who asks for it later", () => {
  const program = `
    const isRead = () => Object.getOwnPropertyDescriptor(globalThis, 'Headers')?.get === undefined
    const { readUndiciAlone } = await import('./dist/util/packages/read-undici.js')
    await readUndiciAlone()
    const { getCookies, Headers } = await import('undici')
    const wasRead = isRead()
    const read = getCookies(new Headers({ cookie: 'a=b' }))
    console.log(JSON.stringify([wasRead, read, typeof globalThis.Headers, isRead()]))`
  const said = execFileSync(process.execPath, ['--input-type=module', '-e', program], { cwd: ROOT })
  expect(JSON.parse(String(said))).toEqual([false, { a: 'b' }, 'function', true])
})
