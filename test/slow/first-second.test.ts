import { spawn } from 'node:child_process'
import { once } from 'node:events'
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

/** Reads the client's modules, and what is left of it afterwards; how many modules were run in each turn of the loop. */
const PROGRAM = `
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
  const { readMcpClient } = await import('./dist/util/packages/read-mcp-client.js')
  await readMcpClient()
  const inParts = [...turns.values()]
  turns.clear()
  await import('@modelcontextprotocol/client')
  await import('@modelcontextprotocol/client/stdio')
  isOver = true
  console.log(JSON.stringify({ inParts, afterwards: [...turns.values()] }))`

it('the modules of the MCP client are run a few at a time, and none of them later', async () => {
  const child = spawn(process.execPath, ['--input-type=module', '-e', PROGRAM], {
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
