import { completion, type ScriptedAnswer, startScriptedUpstream } from '../../../src/testing.js'
import type { LargeUpstreamRow } from '../tables/upstreams.js'
import { type AttackedService, type AttackResult, attack, startAttackedService } from './attack.js'

/** The built service with a model, whose answers are those of a row. */
export interface AttackedByUpstream {
  readonly service: AttackedService
  /** Asks the model once. */
  ask(row: { readonly isStream: boolean; readonly fault: () => ScriptedAnswer }): Promise<AttackResult>
  /** The exit code. */
  stop(): Promise<number | null>
}

/** So many good answers in between that the circuit stays closed. */
const GOOD_ONES = 12

/** Starts both; the key is what an upstream may repeat. */
export async function startAttackedByUpstream(apiKey = 'sk-attack'): Promise<AttackedByUpstream> {
  const upstream = await startScriptedUpstream()
  const service = await startAttackedService(
    {},
    { LLM_BASE_URL: upstream.url, LLM_API_KEY: apiKey, LOG_LEVEL: 'fatal' },
  )
  const send = (stream: boolean) =>
    attack({
      service,
      path: '/v1/chat/completions',
      body: { model: 'm', stream, messages: [{ role: 'user', content: 'hi' }] },
    })
  return {
    service,
    async ask({ isStream, fault }) {
      upstream.script(completion('good'))
      for (let count = 0; count < GOOD_ONES; count += 1) await send(false)
      upstream.script(fault())
      return send(isStream)
    },
    async stop() {
      const code = await service.stop()
      await upstream.close()
      return code
    },
  }
}

/** What is wrong with the answer to a row; undefined for nothing. */
export function mistakeOfAnswer(
  { status, says }: LargeUpstreamRow,
  answer: AttackResult,
): string | undefined {
  const text = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body)
  return answer.status === status && says.test(text) ? undefined : `${answer.status} ${text.slice(-300)}`
}
