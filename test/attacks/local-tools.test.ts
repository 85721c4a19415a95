import { describe, expect, it } from 'vitest'
import { AgentBuilder, AgentSession, HookExecutor, ToolRegistry, tool } from '../../src/agent.js'
import { createScriptedModel } from '../../src/testing.js'
import { Cancellation } from '../../src/util/cancellation.js'
import { leastOf, longestOf } from '../support/costs/longest-piece.js'
import { ANSWER_SHAPES } from './tables/answer-shapes.js'

/** What a function of a program answers, and what becomes of it. */
interface LocalAnswer {
  readonly name: string
  readonly value: () => unknown
  /** Default: it is read. */
  readonly code?: string
}

const AT_ONCE = 12
const ATTEMPTS = 4
/** Twice what an answer may hold a turn of the event loop for, on a slow machine. */
const BOUND_MS = 40

/** What only a program can answer: values that JSON does not have, that share their parts, or that are far too large. */
const OF_PROGRAMS: readonly LocalAnswer[] = [
  { name: '9,000 dates', value: () => Array.from({ length: 9_000 }, (_, index) => new Date(index)) },
  { name: '5,000,000 numbers', value: () => new Array(5_000_000).fill(1), code: 'bad_response' },
  { name: '400,000 dates', value: () => new Array(400_000).fill(new Date(0)), code: 'bad_response' },
  { name: '50 MB of bytes', value: () => Buffer.alloc(50_000_000), code: 'bad_response' },
  {
    name: 'objects that share their parts 100 levels deep',
    value: () => Array.from({ length: 100 }).reduce<unknown>((part) => ({ part, again: part }), 0),
    code: 'bad_response',
  },
  {
    name: 'lists 500,000 deep',
    value: () => Array.from({ length: 500_000 }).reduce<unknown>((inner) => [inner], 0),
    code: 'bad_response',
  },
  { name: 'a text of 30 MB', value: () => 'x'.repeat(30_000_000), code: 'too_large' },
]

const toolOf = (value: unknown) => tool({ name: 'look', readOnly: true, execute: () => value })

describe.each<LocalAnswer>([...ANSWER_SHAPES, ...OF_PROGRAMS])(
  'a function that answers $name',
  ({ value, code }) => {
    const answer = value()

    it('holds nobody up, when it is called many times at once', async () => {
      const called = toolOf(answer)
      const codes = new Set<string>()
      const call = async () => {
        const outcome = await called.call({}, { requestId: 'r', signal: new Cancellation() })
        codes.add(outcome.ok ? 'ok' : outcome.code)
      }
      const ms = await leastOf(ATTEMPTS, BOUND_MS, () =>
        longestOf(() => Promise.all(Array.from({ length: AT_ONCE }, call))),
      )
      expect([...codes]).toEqual([code ?? 'ok'])
      expect(ms).toBeLessThan(BOUND_MS)
    })

    it('holds nobody up in the turn of an agent', async () => {
      const tools = new ToolRegistry().register(toolOf(answer))
      const ends = new Set<string>()
      const turn = async () => {
        const provider = createScriptedModel([{ toolCalls: [{ name: 'look', arguments: {} }] }, 'done'])
        const bundle = new AgentBuilder()
          .provider(provider)
          .toolRegistry(tools)
          .hookExecutor(new HookExecutor())
          .config({ model: 'm' })
          .build()
        const session = new AgentSession({ name: 'helper', systemPrompt: 'You help.' }, 's', bundle)
        const { endedBy } = await session.submitTurn('go')
        const said = JSON.stringify(provider.requests.at(-1)?.['messages'])
        ends.add([endedBy, said.includes('"tool"'), said.includes('the answer')].join())
      }
      const ms = await leastOf(ATTEMPTS, BOUND_MS, () => longestOf(turn))
      expect([...ends]).toEqual([`answer,true,${code !== undefined}`])
      expect(ms).toBeLessThan(BOUND_MS)
    })
  },
)
