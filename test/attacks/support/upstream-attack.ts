import { join } from 'node:path'
import { completion, type ScriptedAnswer, startScriptedUpstream } from '../../../src/testing.js'
import { createCatalogDirectory } from '../../support/catalog-directory.js'
import type { LargeUpstreamRow } from '../tables/upstreams.js'
import { type AttackedService, type AttackResult, attack, startAttackedService } from './attack.js'

/** The built service with a model, whose answers are those of a row. */
export interface AttackedByUpstream {
  readonly service: AttackedService
  /** Enough good answers that the circuit stays closed. */
  askGood(): Promise<void>
  /** Asks the model once. */
  ask(row: { readonly isStream: boolean; readonly fault: () => ScriptedAnswer }): Promise<AttackResult>
  /** The exit code. */
  stop(): Promise<number | null>
}

const GOOD_ONES = 12
/** What is tried again is tried at once: waiting shows nothing. */
const AT_ONCE = { 'retry-after-ms': '1' }
const MODEL = 'm'

/** Starts both; the key is what an upstream may repeat. */
export async function startAttackedByUpstream(
  key = 'sk-attack',
  account = 'none',
): Promise<AttackedByUpstream> {
  const upstream = await startScriptedUpstream()
  const scripted = { baseUrl: upstream.url, apiKey: { env: 'TEST_KEY' }, headers: { 'x-account': account } }
  const file = createCatalogDirectory({ 'config.json': { upstreams: { scripted } } })
  const service = await startAttackedService(
    {},
    { CONFIG_FILE: join(file.path, 'config.json'), TEST_KEY: key, LOG_LEVEL: 'fatal' },
  )
  const send = (stream: boolean) =>
    attack({
      service,
      path: '/v1/chat/completions',
      body: { model: MODEL, stream, messages: [{ role: 'user', content: 'hi' }] },
    })
  return {
    service,
    async askGood() {
      upstream.script(completion('good'))
      await Promise.all(Array.from({ length: GOOD_ONES }, () => send(false)))
    },
    async ask({ isStream, fault }) {
      const answer = fault()
      upstream.script({ ...answer, headers: { ...AT_ONCE, ...answer.headers } })
      return send(isStream)
    },
    async stop() {
      const code = await service.stop()
      await upstream.close()
      file.dispose()
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
