import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, request } from 'undici'

/** Clients that ask one thing after the other, each on a connection of its own that it keeps. */
export interface SteadyLoad {
  /** Answers with 200. */
  readonly answered: number
  /** What else came back, by status or error. */
  readonly failed: ReadonlyMap<string, number>
  /** Resolves when this many more answers came. */
  more(answers: number): Promise<void>
  stop(): Promise<void>
}

/** Longer than any answer takes on a busy machine: what waits for ever is a failure. */
const PATIENCE_MS = 10_000

/** Begins to render one prompt again and again, without repeating what fails. */
export function startSteadyLoad(url: string, prompt: string, clients: number): SteadyLoad {
  const failed = new Map<string, number>()
  const state = { answered: 0, isOver: false }
  const ask = async (dispatcher: Agent): Promise<string> => {
    try {
      const { statusCode, body } = await request(`${url}/api/render/prompts/${prompt}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"variables":{"who":"you"}}',
        dispatcher,
      })
      await body.dump()
      return String(statusCode)
    } catch (error) {
      return String(error)
    }
  }
  const client = async () => {
    const dispatcher = new Agent({ connections: 1, headersTimeout: PATIENCE_MS })
    while (!state.isOver) {
      const outcome = await ask(dispatcher)
      if (outcome === '200') state.answered += 1
      else failed.set(outcome, (failed.get(outcome) ?? 0) + 1)
      await sleep(5)
    }
    await dispatcher.close()
  }
  const work = Promise.all(Array.from({ length: clients }, client))
  return {
    failed,
    get answered() {
      return state.answered
    },
    async more(answers) {
      const goal = state.answered + answers
      while (state.answered < goal) await sleep(5)
    },
    async stop() {
      state.isOver = true
      await work
    },
  }
}
