import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  chunk,
  completion,
  EVENT_STREAM,
  event,
  type RecordedRequest,
  type ScriptedAnswer,
  startScriptedUpstream,
} from '../../src/testing.js'
import { createCatalogDirectory } from './catalog-directory.js'
import { evaluation, phaseOf } from './task-setup.js'
import type { Json } from './test-app.js'

/** What a turn is asked for, as JSON in its input. */
export interface Work {
  /** How often the model asks for two calls. */
  readonly rounds: number
  readonly tools: readonly [string, string]
  /** What a call takes, in milliseconds. */
  readonly ms: number
  /** Of the answer. */
  readonly words: number
}

/** A model, tools that count their effects, and a catalog with an agent that has them. The caller closes it. */
export interface Workplace {
  /** What a service that works here needs. */
  readonly environment: Readonly<Record<string, string>>
  /** How often `m.act` ran, by idempotency key. */
  readonly effects: ReadonlyMap<string, number>
  close(): Promise<void>
}

/** One tool has effects and is not to be called again, one only reads, one is idempotent. */
export const TOOLS = { act: {}, look: { readOnly: true }, put: { idempotent: true } } as const
const PIECE_MS = 30

export async function openWorkplace(): Promise<Workplace> {
  const effects = new Map<string, number>()
  const tools = createServer(async (request, response) => {
    const { ms } = JSON.parse(await textOf(request))
    const key = String(request.headers['idempotency-key'])
    if (request.url === '/act') effects.set(key, (effects.get(key) ?? 0) + 1)
    await sleep(ms)
    response.setHeader('content-type', 'application/json').end('"done"')
  })
  await new Promise<void>((resolve) => tools.listen(0, '127.0.0.1', resolve))
  const { port } = tools.address() as AddressInfo
  const upstream = await startScriptedUpstream(answer)
  const parameters = [{ name: 'ms', type: 'number' }]
  const documents = Object.entries(TOOLS).map(([name, traits]) => [
    `tools/m/${name}.json`,
    { url: `http://127.0.0.1:${port}/${name}`, parameters, description: name, ...traits },
  ])
  const catalog = createCatalogDirectory({
    ...Object.fromEntries(documents),
    'agents/t/main.json': {
      instructions: 'Work.',
      tools: ['m.act', 'm.look', 'm.put'],
      guards: { loop: false },
    },
  })
  return {
    environment: {
      CATALOG_DIR: catalog.path,
      LLM_BASE_URL: upstream.url,
      LLM_MODEL: 'scripted',
      TOOL_ALLOWED_HOSTS: '127.0.0.1',
    },
    effects,
    async close() {
      await upstream.close()
      tools.closeAllConnections()
      await new Promise((resolve) => tools.close(resolve))
      catalog.dispose()
    },
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const piece of request) text += String(piece)
  return text
}

/** Judges tasks well; asks for the calls of a turn's work, round by round, then answers it. */
function answer({ body }: RecordedRequest): ScriptedAnswer {
  if (phaseOf(body) === 'evaluate') return completion(JSON.stringify(evaluation(98, 98, true)))
  const messages = body['messages'] as Json[]
  const asked = messages.findLastIndex(({ role }) => role === 'user')
  const { rounds, tools, ms, words }: Work = JSON.parse(messages[asked].content)
  const done = messages.slice(asked).filter(({ role }) => role === 'assistant').length
  const toCall = (name: string, index: number) => ({
    index,
    id: `c${asked}-${done}-${index}`,
    type: 'function',
    function: { name: `m_${name}`, arguments: JSON.stringify({ ms: ms + index }) },
  })
  const calls = done < rounds ? tools.map(toCall) : undefined
  const count = calls === undefined ? words : 2
  return streamed(
    Array.from({ length: count }, (_, index) => `w${index} `),
    calls,
  )
}

function streamed(texts: readonly string[], calls: readonly object[] | undefined): ScriptedAnswer {
  const head = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'scripted' }
  const asking = { ...head, choices: [{ index: 0, delta: { tool_calls: calls }, finish_reason: null }] }
  const usage = { prompt_tokens: 7, completion_tokens: texts.length, total_tokens: 7 + texts.length }
  return {
    headers: EVENT_STREAM,
    pieceMs: PIECE_MS,
    pieces: [
      ...texts.map((text) => event(chunk(text))),
      ...(calls === undefined ? [] : [event(JSON.stringify(asking))]),
      event(chunk('', calls === undefined ? 'stop' : 'tool_calls')),
      event(JSON.stringify({ ...head, choices: [], usage })),
      event('[DONE]'),
    ],
  }
}
