import { setTimeout as sleep } from 'node:timers/promises'
import { readBody, startHttpServer } from '../../integration/tools/http-server.js'
import type { Json } from '../../support/test-app.js'
import type { CostlyCall } from '../tables/costly-calls.js'
import { type AttackedService, attack } from './attack.js'
import { dataOf, textOf } from './costly-requests.js'

/** A request that does a costly call with what a tool answers, by the number of its row. */
export type AnswerWay = (row: CostlyCall, index: number) => Json

const inMessages = (count: number, content: string): Json => ({
  prompt: { messages: Array.from({ length: count }, () => ({ role: 'user', content })) },
})

/** How the answer of a tool comes to what reads it: each of them lets nobody else run in between by itself. */
export const ANSWER_WAYS: Readonly<Record<string, AnswerWay>> = {
  'in the answer of a tool': (row, index) => ({
    prompt: { userPrompt: textOf(row, `(m_read "${index}")`) },
  }),
  'in an answer that is kept': (row, index) => ({
    prompt: { userPrompt: `{{$_ := m_kept "${index}"}}${textOf(row, `(m_kept "${index}")`)}` },
  }),
  'in answers in a loop': ({ definitions = '', action }, index) => ({
    prompt: { userPrompt: `${definitions}{{range 20}}{{$v := m_kept "${index}"}}${action}{{end}}` },
  }),
  'in answers to different calls': ({ definitions = '', action }, index) => ({
    prompt: {
      userPrompt: `${definitions}{{range $i, $_ := until 20}}{{$v := m_numbered "${index}" $i}}${action}{{end}}`,
    },
  }),
  'in an answer that many messages wait for': (row, index) =>
    inMessages(20, textOf(row, `(m_kept "${index}")`)),
  'in answers of which each message has one': (row, index) =>
    inMessages(20, textOf(row, `(m_read "${index}")`)),
}

/** So that answers come: a call that a render has no time for counts against its tool. */
export const ANSWER_ENVIRONMENT = { RENDER_TIMEOUT_MS: '1000' }
/** What an answer may have, with room for what is around the value. */
const MAX_BYTES = 1_048_576 - 100

const TOOLS = ['read', 'numbered', 'kept']
const WAIT_MS = 250
let goodCalls = 0

/** Calls each tool well: renders that end before their answers come count against it, and soon it would not be called any more. */
export async function callGoodTools(service: AttackedService): Promise<void> {
  for (const tool of TOOLS)
    while (await isRefused(service, tool)) {
      // The circuit breaker lets a call through after a few seconds.
      await sleep(WAIT_MS)
    }
}

async function isRefused(service: AttackedService, tool: string): Promise<boolean> {
  goodCalls += 1
  const named = { row: `none ${goodCalls}`, ...(tool === 'numbered' && { number: 1 }) }
  const { body } = await attack({ service, path: `/api/tools/m.${tool}/call`, body: { arguments: named } })
  if (body.status !== 'success' && body.error?.code !== 'circuit_open')
    throw new Error(`a good call failed: ${JSON.stringify(body).slice(0, 300)}`)
  return body.status !== 'success'
}

/** The tools of those, and a prompt for each way. */
export function answerDocuments(rows: readonly CostlyCall[], url: string): Record<string, unknown> {
  const parameters = [{ name: 'row', type: 'string' }]
  const numbered = [...parameters, { name: 'number', type: 'integer' }]
  const documents: Record<string, unknown> = {
    'tools/m/read.json': { url, parameters, result: 'value' },
    'tools/m/numbered.json': { url, parameters: numbered, result: 'value' },
    'tools/m/kept.json': { url, parameters, result: 'value', readOnly: true, cacheTtlMs: 60_000 },
  }
  for (const [way, bodyOf] of Object.values(ANSWER_WAYS).entries())
    for (const [index, row] of rows.entries())
      documents[`templates/answers/way${way}row${index}.json`] = bodyOf(row, index).prompt
  return documents
}

/** The tool whose answers are what the rows read, made before they are asked for. */
export async function startAnswers(rows: readonly CostlyCall[]) {
  const answers = rows.map(answerOf)
  return startHttpServer(async (request, response) => {
    const { row } = JSON.parse(await readBody(request))
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(answers[Number(row)] ?? '{"value":"small"}')
  })
}

/** The answer of a row, as long as an answer may be: texts of lone surrogates are six times as long as JSON. */
function answerOf(row: CostlyCall): Buffer {
  const value = dataOf(row)
  const answer = Buffer.from(JSON.stringify({ value }))
  if (answer.length <= MAX_BYTES || typeof value !== 'string') return answer
  const admitted = value.slice(0, Math.floor((value.length * MAX_BYTES) / answer.length))
  return Buffer.from(JSON.stringify({ value: admitted }))
}
