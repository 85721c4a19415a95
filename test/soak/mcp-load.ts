import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { type Exchange, exchange } from './exchange.js'
import { SAYS, type World } from './world.js'

/** How the client tells that it was refused for a moment. */
const REFUSED = /overloaded|is overloaded/

/** Whole work of a client, but for what is refused because there is too much of everything. */
export async function speakMcp(world: World, count: number): Promise<Exchange> {
  try {
    return await speak(world, count)
  } catch (error) {
    // In the answer that comes with it, where its own words are others.
    if (REFUSED.test(`${error} ${JSON.stringify(error)}`))
      return { ended: '503 overloaded', mistake: undefined }
    throw error
  }
}

/** A client that connects, reads the list of prompts, gets one and calls a tool, and goes. */
async function speak({ service, keys }: World, count: number): Promise<Exchange> {
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
