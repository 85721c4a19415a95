import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTools } from '../../src/tools/tools.js'
import { leastOf, longestOf } from '../support/costs/longest-piece.js'
import { loopbackSettings } from '../support/tool-entry.js'
import { waitUntil } from '../support/wait-until.js'
import { leastBusy } from './support/least-busy.js'
import { LOOP_BOUND_MS } from './support/loop-bound.js'
import {
  type AttackedByPeer,
  mistakeOfPeer,
  startAttackedByPeer,
  startMcpPeer,
} from './support/peer-attack.js'
import { GRPC_PEERS, MCP_PEERS } from './tables/peers.js'

const CALLS = MCP_PEERS.filter(({ to }) => to === 'tools/call')
const LISTS = MCP_PEERS.filter(({ to }) => to === 'tools/list')
const ATTEMPTS = 4

describe('a server whose tool is called', () => {
  let attacked: AttackedByPeer
  beforeAll(async () => {
    attacked = await startAttackedByPeer()
  })
  afterAll(async () => {
    expect(await attacked.stop()).toBe(0)
  })

  it.each([
    ...CALLS.map((row) => ({ name: `MCP: ${row.name}`, ask: () => attacked.askMcp(row) })),
    ...GRPC_PEERS.map((row) => ({ name: `gRPC: ${row.name}`, ask: () => attacked.askGrpc(row) })),
  ])('holds nobody up: $name', async ({ ask }) => {
    const busy = await leastBusy(async () => {
      await attacked.callGood()
      const answer = await ask()
      expect(mistakeOfPeer(answer)).toBeUndefined()
      return answer
    })
    expect(busy).toBeLessThan(LOOP_BOUND_MS)
  })
})

it.each(LISTS)('a mounted MCP server holds nobody up: $name', async (row) => {
  const server = await startMcpPeer(() => row)
  const url = `${server.url}/mcp`
  const ms = await leastOf(ATTEMPTS, LOOP_BOUND_MS, () =>
    longestOf(async () => {
      const settings = loopbackSettings({ mcpServers: { peer: { url, headers: {}, mount: true } } })
      const tools = createTools({ settings })
      await waitUntil(() => {
        const [status] = tools.status.mcpServers
        return status?.lastError !== undefined || (status?.tools ?? 0) > 0
      })
      await tools.close()
    }),
  )
  await server.close()
  expect(ms).toBeLessThan(LOOP_BOUND_MS)
})
