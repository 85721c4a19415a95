import { expect, it } from 'vitest'
import { openSessions } from '../../../../src/agents/sessions/program-sessions.js'
import { ToolRegistry } from '../../../../src/agents/tools/tool-registry.js'
import { createMemoryState } from '../../../../src/state/memory-state.js'
import type { SessionStore } from '../../../../src/state/state-store.js'
import { createScriptedModel } from '../../../../src/testing/scripted-model.js'
import { waitUntil } from '../../../support/wait-until.js'

/** A store whose commits wait until they are let through. */
function heldStore() {
  const kept = createMemoryState()
  let letThrough = () => {}
  const gate = new Promise<void>((resolve) => {
    letThrough = resolve
  })
  let commits = 0
  const commit: SessionStore['commit'] = async (lease, change) => {
    commits += 1
    await gate
    return kept.commit(lease, change)
  }
  const store: SessionStore = new Proxy(kept, {
    get(target, name) {
      if (name === 'commit') return commit
      const value = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  return { store, letThrough, commits: () => commits }
}

it.each([
  { name: 'that may act, once they are stored', traits: {}, before: 0 },
  {
    name: 'that are idempotent, once they are stored: their keys are',
    traits: { idempotent: true },
    before: 0,
  },
  { name: 'that only read, at once', traits: { readOnly: true }, before: 1 },
])('calls of tools $name', async ({ traits, before }) => {
  const { store, letThrough, commits } = heldStore()
  let calls = 0
  const tools = new ToolRegistry().register({
    ...{ name: 'work', ...traits },
    execute: () => {
      calls += 1
    },
  })
  const provider = createScriptedModel([{ toolCalls: [{ name: 'work', arguments: {} }] }, 'done'])
  const agents = [{ name: 'a', systemPrompt: 'Work.' }]
  const sessions = await openSessions({ provider, agents, tools, state: store })
  const turn = (await sessions.open()).submitTurn('go')
  await waitUntil(() => commits() > 0 && calls >= before, 'the commit and the call')
  for (let ticks = 0; ticks < 20; ticks += 1) await new Promise(setImmediate)
  expect(calls).toBe(before)
  letThrough()
  expect(await turn).toMatchObject({ status: 'completed', text: 'done', toolCalls: 1 })
  expect(calls).toBe(1)
  await sessions.close()
})
