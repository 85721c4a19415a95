import { join } from 'node:path'
import { chunk, EVENT_STREAM, event, startScriptedUpstream, stream } from '../../../src/testing.js'
import { readBody, startHttpServer } from '../../integration/tools/http-server.js'
import { createCatalogDirectory } from '../../support/catalog-directory.js'
import { ANSWER_SHAPES } from '../tables/answer-shapes.js'
import { type AttackedService, type AttackResult, attack, startAttackedService } from './attack.js'
import { sendMcp } from './mcp-attack.js'

/** What may be done with the tools that answer in a shape. */
export interface Answering {
  readonly service: AttackedService
  /** Calls a tool over HTTP, which answers in the shape of this number; with the same arguments each time, or others. */
  call(tool: string, shape: number, isSame?: boolean): Promise<AttackResult>
  /** A turn of an agent whose model calls these tools, and says "done" to their answers. */
  turn(tools: readonly string[], shape: number): Promise<AttackResult>
  /** Calls a tool over MCP. */
  callByMcp(tool: string, shape: number): Promise<AttackResult>
}

/** How many calls come at once. */
const AT_ONCE = 12

/** What the service does with an answer as it is, by the number of its shape. */
export const ANSWER_USES: Readonly<
  Record<string, (answering: Answering, shape: number) => Promise<AttackResult>>
> = {
  'a call': ({ call }, shape) => call('read', shape),
  // The answer is kept for a moment only, and the next one takes its place: what a cache may hold is no leak.
  'a call whose answer is kept': ({ call }, shape) => call('kept', shape, true),
  'a call with a secret': ({ call }, shape) => call('secret', shape),
  'calls at once': async ({ call }, shape) => lastOf(repeated(() => call('read', shape))),
  'MCP tools/call': ({ callByMcp }, shape) => callByMcp('m_read', shape),
  'MCP tools/call at once': async ({ callByMcp }, shape) =>
    lastOf(repeated(() => callByMcp('m_read', shape))),
  'the turn of an agent': ({ turn }, shape) => turn(['m_read'], shape),
  'the turn of an agent with two answers': ({ turn }, shape) => turn(['m_read', 'm_secret'], shape),
}

/** The built service, the tools and a model. */
export async function startAnswering() {
  const answers = ANSWER_SHAPES.map(({ value }) => Buffer.from(JSON.stringify(value())))
  const tool = await startHttpServer(async (request, response) => {
    const { shape } = JSON.parse(await readBody(request))
    response.writeHead(200, { 'content-type': 'application/json' }).end(answers[Number(shape)])
  })
  const upstream = await startScriptedUpstream()
  const files = createCatalogDirectory({ 'config.json': { secrets: { token: { env: 'TOKEN' } } } })
  const parameters = [
    { name: 'shape', type: 'string' },
    { name: 'number', type: 'integer' },
  ]
  const read = { url: tool.url, parameters }
  const service = await startAttackedService(
    {
      'tools/m/read.json': read,
      'tools/m/kept.json': { ...read, readOnly: true, cacheTtlMs: 1 },
      'tools/m/secret.json': { ...read, restful: { headers: { authorization: 'Bearer ${secret:token}' } } },
      'agents/m/reader.json': { tools: ['m.*'], model: 'm', limits: { steps: 3 } },
    },
    {
      CONFIG_FILE: join(files.path, 'config.json'),
      TOKEN: 'a-token-that-is-long',
      LLM_BASE_URL: `${upstream.url}/v1`,
      TOOL_ALLOWED_HOSTS: '127.0.0.1:*',
      LOG_LEVEL: 'fatal',
    },
  )
  let number = 0
  const argumentsOf = (shape: number) => {
    number += 1
    return { shape: String(shape), number }
  }
  const answering: Answering = {
    service,
    call: (name, shape, isSame = false) => {
      const given = isSame ? { shape: String(shape), number: 0 } : argumentsOf(shape)
      return attack({ service, path: `/api/tools/m.${name}/call`, body: { arguments: given } })
    },
    callByMcp: (name, shape) =>
      sendMcp(service, {
        name,
        method: 'tools/call',
        params: () => ({ name, arguments: argumentsOf(shape) }),
      }),
    turn(tools, shape) {
      upstream.script(called(tools, JSON.stringify(argumentsOf(shape))), stream(['done']))
      const parts = [{ type: 'text', text: 'hi' }]
      const body = { id: `chat${number}`, messages: [{ role: 'user', parts }] }
      return attack({ service, path: '/api/agents/m.reader/ui', body })
    },
  }
  return {
    answering,
    async stop() {
      const code = await service.stop()
      await tool.close()
      await upstream.close()
      files.dispose()
      return code
    },
  }
}

/** What is wrong with what came back; undefined for nothing. */
export function mistakeOfUse({ status, body }: AttackResult): string | undefined {
  const isRight =
    status === 200 &&
    (body?.status === 'success' ||
      (body?.result !== undefined && body.result.isError !== true) ||
      (typeof body === 'string' && body.includes('"done"') && body.trimEnd().endsWith('data: [DONE]')))
  return isRight
    ? undefined
    : `${status} ${(typeof body === 'string' ? body : JSON.stringify(body)).slice(-300)}`
}

function called(tools: readonly string[], text: string) {
  const calls = tools.map((name, index) => {
    const call = { index, id: `c${index}`, type: 'function', function: { name, arguments: text } }
    return event(JSON.stringify({ choices: [{ index: 0, delta: { tool_calls: [call] } }] }))
  })
  return { headers: EVENT_STREAM, pieces: [...calls, event(chunk('', 'tool_calls')), event('[DONE]')] }
}

function repeated<Result>(work: () => Promise<Result>): readonly Promise<Result>[] {
  return Array.from({ length: AT_ONCE }, work)
}

async function lastOf(answers: readonly Promise<AttackResult>[]): Promise<AttackResult> {
  const all = await Promise.all(answers)
  const wrong = all.find((answer) => mistakeOfUse(answer) !== undefined) ?? all.at(-1)
  if (wrong === undefined) throw new Error('nothing was called')
  return wrong
}
