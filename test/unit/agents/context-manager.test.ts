import { describe, expect, it } from 'vitest'
import { AgentBuilder } from '../../../src/agents/agent-builder.js'
import { ContextManager } from '../../../src/agents/context-manager.js'
import { HookExecutor } from '../../../src/agents/hook-executor.js'
import { openSessions, type ProgramSession } from '../../../src/agents/sessions/program-sessions.js'
import { ToolRegistry } from '../../../src/agents/tools/tool-registry.js'
import { modelFrom } from '../../../src/llm/model-from.js'
import { at } from '../../../src/util/at.js'
import { createRandom, type Random } from '../../support/random.js'

const AGENTS = [
  { name: 'helper', systemPrompt: 'You help.' },
  { name: 'critic', systemPrompt: 'You judge.' },
]
const NAMES = ['main', 'b', 'c', 'd']
/** So many things are done with each pair, one after the other. */
const STEPS = 60

/** One step of both. What it comes to, or the code of its failure, is compared. */
interface Contexts {
  create(id: string, agent: string): unknown
  switch(id: string): unknown
  destroy(id: string): unknown
  bridge(from: string, to: string, summary: string): unknown
  say(text: string): unknown
  remember(key: string, value: string): unknown
  look(): Promise<Seen>
}

/** Which one is active, which there are, what was said in the active one, and all that models were asked. */
interface Seen {
  readonly active: string | undefined
  readonly ids: readonly string[]
  readonly said: readonly unknown[]
  readonly asked: readonly unknown[]
}

/** Answers by what it is asked, and fails now and then. */
function scripted() {
  const asked: unknown[] = []
  const provider = modelFrom(async ({ messages }) => {
    asked.push(messages)
    const { content } = at(messages, -1)
    if (String(content).includes('fail')) throw new Error('no answer')
    return { text: `answer ${asked.length}`, usage: { inputTokens: 10, outputTokens: 2 } }
  })
  return { provider, asked }
}

function managed(): Contexts {
  const { provider, asked } = scripted()
  const bundle = new AgentBuilder()
    .provider(provider)
    .toolRegistry(new ToolRegistry())
    .hookExecutor(new HookExecutor())
    .config({ model: 'm', maxTurns: 1_000 })
    .build()
  const contexts = new ContextManager('s', bundle)
  const agentOf = (name: string) => AGENTS.find((agent) => agent.name === name) ?? at(AGENTS, 0)
  contexts.createContext('main', at(AGENTS, 0))
  const active = () => contexts.switchContext(contexts.activeContext ?? '')
  const has = (id: string) => {
    const before = contexts.activeContext ?? ''
    try {
      contexts.switchContext(id)
      contexts.switchContext(before)
      return true
    } catch {
      return false
    }
  }
  return {
    create: (id, agent) => void contexts.createContext(id, agentOf(agent)),
    switch: (id) => void contexts.switchContext(id),
    destroy: (id) => contexts.destroyContext(id),
    bridge: (from, to, summary) => contexts.bridge(from, to, summary),
    say: async (text) => (await active().submitTurn(text)).text,
    remember: (key, value) => contexts.sessionMemory.set(key, value),
    look: async () => ({
      active: contexts.activeContext,
      ids: NAMES.filter(has),
      said: active().messages,
      asked,
    }),
  }
}

async function stored(): Promise<Contexts> {
  const { provider, asked } = scripted()
  const sessions = await openSessions({ provider, agents: AGENTS, config: { model: 'm' } })
  const session: ProgramSession = await sessions.open('s')
  return {
    create: (id, agent) => session.createContext(id, agent),
    switch: (id) => session.switchContext(id),
    destroy: (id) => session.destroyContext(id),
    bridge: async (from, to, summary) => void (await session.bridge(from, to, summary)),
    async say(text) {
      const turn = await session.submitTurn(text)
      return turn.status === 'completed' ? turn.text : turn.status
    },
    remember: (key, value) => session.setData(key, value),
    async look() {
      const contexts = await session.contexts()
      return {
        active: contexts.find(({ active }) => active)?.id,
        ids: NAMES.filter((name) => contexts.some(({ id }) => id === name)),
        said: await session.messages(),
        asked,
      }
    },
  }
}

async function outcomeOf(step: () => unknown): Promise<unknown> {
  try {
    return { value: await step() }
  } catch (error) {
    return { code: error instanceof Error && 'code' in error ? error.code : String(error) }
  }
}

/** A step, drawn: with names that are there, and with those that are not. */
function draw({ pick }: Random, { active, ids }: Seen, count: number): (contexts: Contexts) => unknown {
  const [id, other, agent] = [pick(NAMES), pick(NAMES), pick(AGENTS).name]
  const steps: readonly ((contexts: Contexts) => unknown)[] = [
    // To make one again as it is succeeds for a stored session: the answer to the first time may be lost.
    (contexts) => (ids.includes(id) ? undefined : contexts.create(id, agent)),
    (contexts) => (ids.includes(id) ? undefined : contexts.create(id, agent)),
    (contexts) => contexts.switch(id),
    (contexts) => contexts.switch(id),
    // A program may end the one it speaks to; a stored session has one always.
    (contexts) => (id === active ? undefined : contexts.destroy(id)),
    (contexts) => contexts.bridge(id, other, `summary ${count}`),
    (contexts) => contexts.remember(id, `value ${count}`),
    (contexts) => contexts.say(`fail ${count}`),
    (contexts) => contexts.say(`text ${count}`),
    (contexts) => contexts.say(`text ${count}`),
    (contexts) => contexts.say(`text ${count}`),
  ]
  return pick(steps)
}

describe('the contexts that a program holds', () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8])(
    'are those of a stored session, whatever is done with them (seed %i)',
    async (seed) => {
      const random = createRandom(seed)
      const [held, kept] = [managed(), await stored()]
      let seen = await held.look()
      for (let count = 1; count <= STEPS; count += 1) {
        const step = draw(random, seen, count)
        expect(await outcomeOf(() => step(held))).toEqual(await outcomeOf(() => step(kept)))
        seen = await held.look()
        expect(seen).toEqual(await kept.look())
      }
    },
  )
})
