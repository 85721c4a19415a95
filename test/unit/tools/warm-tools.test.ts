import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { ToolWire } from '../../../src/tools/tool-wire.js'
import { warmTools } from '../../../src/tools/warm-tools.js'
import { toolEntry } from '../../support/tool-entry.js'

/** Tools of 200 servers, each server named twice, every second one broken. */
const entries = Array.from({ length: 400 }, (_, index) => {
  const connection = {
    type: 'mcp',
    url: `http://server-${index % 200}`,
    server: undefined,
    tool: 'x',
  } as const
  const entry = toolEntry(`m.t${index}`, { connection })
  return [entry.id, entry] as const
})

/** Notes who is connected to, and how many at a time. */
function createWire(onOpen = () => {}) {
  const opened: string[] = []
  let running = 0
  let most = 0
  const connect = async (key: string) => {
    opened.push(key)
    running += 1
    most = Math.max(most, running)
    onOpen()
    await nextTurn()
    running -= 1
    if (opened.length % 2 === 0) throw new Error('nobody there')
  }
  const wire: ToolWire = {
    prepare({ tool }) {
      const key = (tool.connection as { readonly url: string }).url
      const send = () => Promise.reject(new Error('must not be called'))
      return { target: key, identity: key, secrets: [], connection: { key, open: () => connect(key) }, send }
    },
    close: async () => {},
  }
  return { wires: { restful: wire, grpc: wire, mcp: wire }, opened, counts: () => ({ running, most }) }
}

it('connects to as many servers as pools keep, each once, 16 at a time, whatever fails', async () => {
  const { wires, opened, counts } = createWire()
  await warmTools({ entries, wires, context: {}, signal: new AbortController().signal })
  expect(opened).toHaveLength(64)
  expect(new Set(opened).size).toBe(64)
  expect(counts()).toEqual({ running: 0, most: 16 })
})

it('starts nothing more once it is told to stop', async () => {
  const controller = new AbortController()
  const { wires, opened } = createWire(() => controller.abort())
  await warmTools({ entries, wires, context: {}, signal: controller.signal })
  expect(opened).toHaveLength(1)
})
