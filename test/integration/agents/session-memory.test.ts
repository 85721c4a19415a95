import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { completion } from '../../../src/testing.js'
import { type AgentService, calling, type Json, startAgentService } from '../../support/agent-service.js'

let agents: AgentService

beforeAll(async () => {
  agents = await startAgentService({
    'agents/m/writer.json': { tools: ['session_memory_set'] },
    'agents/m/reader.json': { tools: ['*'] },
  })
})
afterAll(() => agents.close())

const remember = calling('session_memory_set', { key: 'mood', value: 'good' })
const toolsOf = (index: number): readonly string[] => {
  const body: Json = agents.upstream.requests[index]?.body ?? {}
  return (body.tools ?? []).map((tool: Json) => tool.function.name)
}

async function open(agent: string): Promise<string> {
  const { status, body } = await agents.ask('/api/sessions', { agent })
  expect(status).toBe(201)
  return `/api/sessions/${body.id}`
}

describe('the tool that writes a session’s memory', () => {
  it('is an agent’s whose document lists it, and writes into the session that talks', async () => {
    const [session, other] = [await open('m.writer'), await open('m.writer')]
    agents.upstream.script(remember, completion('Noted.'))
    const { status, body } = await agents.ask(`${session}/turns`, { input: 'I feel good' })
    expect([status, body.tool_calls]).toEqual([200, 1])
    expect(toolsOf(0)).toEqual(['session_memory_set'])
    const memoryOf = async (path: string) => (await fetch(`${agents.service.url}${path}/memory`)).json()
    expect(JSON.stringify(await memoryOf(session))).toContain('good')
    expect(JSON.stringify(await memoryOf(other))).not.toContain('good')
  })

  it('is no other agent’s, whatever patterns its document has', async () => {
    const session = await open('m.reader')
    agents.upstream.script(remember, completion('I cannot.'))
    const { status, body } = await agents.ask(`${session}/turns`, { input: 'I feel good' })
    expect([status, body.tool_calls]).toEqual([200, 0])
    expect(toolsOf(0)).not.toContain('session_memory_set')
  })
})
