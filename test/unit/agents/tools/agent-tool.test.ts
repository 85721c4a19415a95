import { describe, expect, it } from 'vitest'
import { AgentTool } from '../../../../src/agents/tools/agent-tool.js'
import { localTool } from '../../../../src/tools/local-tool.js'
import { isRepeatable, type Tool } from '../../../../src/tools/toolbox.js'

const tool = (traits: object) => localTool({ name: 'tool', ...traits, execute: () => null })
const agent = (tools: (() => readonly Tool[]) | undefined) =>
  new AgentTool({ id: 'a', description: '', run: async () => null, ...(tools !== undefined && { tools }) })
const [read, put, pay] = [tool({ readOnly: true }), tool({ idempotent: true }), tool({})]

describe('an agent as a tool', () => {
  it.each([
    { name: 'whose tools all read', tools: () => [read, read], repeatable: true },
    { name: 'without tools', tools: () => [], repeatable: true },
    { name: 'with an agent that only reads', tools: () => [read, agent(() => [read])], repeatable: true },
    // The second time its model names the calls differently: they have other keys.
    { name: 'with an idempotent tool', tools: () => [read, put], repeatable: false },
    { name: 'with a tool that acts', tools: () => [read, pay], repeatable: false },
    { name: 'with an agent that acts', tools: () => [agent(() => [pay])], repeatable: false },
    { name: 'of whose tools nothing is known', tools: undefined, repeatable: false },
  ])('$name may be called again: $repeatable', ({ tools, repeatable }) => {
    expect(isRepeatable(agent(tools))).toBe(repeatable)
  })

  it('looks at the tools as they are now', () => {
    let tools: readonly Tool[] = [read]
    const helper = agent(() => tools)
    tools = [pay]
    expect(isRepeatable(helper)).toBe(false)
  })
})
