import { readBody, startHttpServer } from '../../integration/tools/http-server.js'
import type { Json } from '../../support/test-app.js'
import type { CostlyCall } from '../tables/costly-calls.js'
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
  const answers = rows.map((row) => Buffer.from(JSON.stringify({ value: dataOf(row) })))
  return startHttpServer(async (request, response) => {
    const { row } = JSON.parse(await readBody(request))
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(answers[Number(row)] ?? '{"value":"small"}')
  })
}
