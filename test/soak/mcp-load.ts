import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { type Exchange, exchange } from './exchange.js'
import { SAYS, type World } from './world.js'

/** A client that connects, reads the list of prompts, gets one and calls a tool, and goes. */
export async function speakMcp({ service, keys }: World, count: number): Promise<Exchange> {
  const name = `m${count}`
  const client = new Client({ name: 'soak', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } })
  const requestInit = { headers: { authorization: `Bearer ${keys.all}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', service.url), { requestInit }))
  try {
    const { prompts } = await client.listPrompts()
    const got = await client.getPrompt({ name: 'soak.plain', arguments: { name } })
    const told = await client.callTool({
      name: 'render_prompt',
      arguments: { id: 'soak.plain', variables: { name } },
    })
    const isListed = prompts.some((prompt) => prompt.name === 'soak.plain')
    const says = [got, told].every((answer) => JSON.stringify(answer).includes(SAYS.plain(name)))
    return exchange(200, isListed && says, [got, told])
  } finally {
    await client.close()
  }
}
