import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  completion,
  EVENT_STREAM,
  event,
  type ScriptedUpstream,
  startScriptedUpstream,
} from '../../src/testing.js'
import { stringifyJson } from '../../src/util/json/json.js'
import { type CatalogDirectory, createCatalogDirectory } from './catalog-directory.js'
import { type ChatService, type ChatServiceOptions, startChatService } from './chat-service.js'

/** A service with agents, a scripted model, and a tool server that remembers what it was asked. */
export interface AgentService {
  readonly service: ChatService
  readonly upstream: ScriptedUpstream
  readonly catalog: CatalogDirectory
  /** Bodies that reached the tool server, in order. */
  readonly calls: readonly unknown[]
  /** The idempotency keys that came with them. */
  readonly keys: readonly (string | undefined)[]
  /** The parsed answer of a POST. */
  ask(path: string, body: unknown): Promise<{ readonly status: number; readonly body: Json }>
  /** The parsed chunks of a streamed answer, without `[DONE]`. */
  stream(path: string, body: unknown): Promise<readonly Json[]>
  close(): Promise<void>
}

// biome-ignore lint/suspicious/noExplicitAny: answers are looked at field by field, and a wrong field fails the test
export type Json = any

type Documents = Readonly<Record<string, unknown>>

/**
 * Starts the service over these documents, beside the tools `m.read`, `m.write` and `n.show`, which answers its body.
 *
 * @param documents or what they are, with the URL of the tool server
 */
export async function startAgentService(
  documents: Documents | ((tools: string) => Documents),
  environment: Readonly<Record<string, string>> = {},
  hooks?: ChatServiceOptions['hooks'],
  tracer?: ChatServiceOptions['tracer'],
): Promise<AgentService> {
  const calls: unknown[] = []
  const keys: (string | undefined)[] = []
  const tools = createServer(async (request, response) => {
    let text = ''
    for await (const piece of request) text += String(piece)
    calls.push(JSON.parse(text))
    keys.push(request.headers['idempotency-key']?.toString())
    const answer = request.url === '/show' ? text : JSON.stringify(`read ${text}`)
    response.setHeader('content-type', 'application/json').end(answer)
  })
  await new Promise<void>((resolve) => tools.listen(0, '127.0.0.1', resolve))
  const { port } = tools.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`
  const parameters = [{ name: 'path', type: 'string' }]
  const upstream = await startScriptedUpstream()
  const catalog = createCatalogDirectory({
    'tools/m/read.json': {
      url: `${url}/read`,
      readOnly: true,
      parameters,
      description: 'Reads',
    },
    'tools/m/write.json': { url: `${url}/write`, parameters },
    'tools/n/show.json': { url: `${url}/show`, parameters },
    ...(typeof documents === 'function' ? documents(url) : documents),
  })
  const service = await startChatService({
    environment: {
      CATALOG_DIR: catalog.path,
      LLM_MODEL: 'gpt',
      TOOL_ALLOWED_HOSTS: '127.0.0.1',
      ...environment,
    },
    file: { upstreams: { first: { baseUrl: upstream.url } } },
    ...(hooks !== undefined && { hooks }),
    ...(tracer !== undefined && { tracer }),
  })
  return {
    ...{ service, upstream, catalog, calls, keys },
    async ask(path, body) {
      const response = await service.post(path, body)
      return { status: response.status, body: await response.json() }
    },
    async stream(path, body) {
      const text = await (await service.post(path, body)).text()
      const payloads = text.split('\n').flatMap((line) => (line.startsWith('data: ') ? [line.slice(6)] : []))
      return payloads.filter((each) => each !== '[DONE]').map((each) => JSON.parse(each))
    },
    async close() {
      await service.close()
      await upstream.close()
      await new Promise((resolve) => tools.close(resolve))
      catalog.dispose()
    },
  }
}

/** A completion that calls a function. */
export function calling(name: string, args: object, id = 'call_1') {
  const call = { id, type: 'function', function: { name, arguments: JSON.stringify(args) } }
  const message = { role: 'assistant', content: null, tool_calls: [call] }
  return completion('', { choices: [{ index: 0, message, finish_reason: 'tool_calls' }] })
}

/** A streamed answer that calls a function, after some words. */
export function streamCalling(name: string, args: object, words = '', id = 'call_1') {
  const head = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'scripted' }
  const chunk = (delta: object, finish_reason: string | null = null) =>
    event(JSON.stringify({ ...head, choices: [{ index: 0, delta, finish_reason }] }))
  const call = { index: 0, id, type: 'function', function: { name, arguments: stringifyJson(args) } }
  const usage = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 }
  return {
    headers: EVENT_STREAM,
    pieces: [
      ...(words === '' ? [] : [chunk({ content: words })]),
      chunk({ tool_calls: [call] }),
      chunk({}, 'tool_calls'),
      event(JSON.stringify({ ...head, choices: [], usage })),
      event('[DONE]'),
    ],
  }
}
