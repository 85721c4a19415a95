import { setTimeout as sleep } from 'node:timers/promises'
import { type DocumentedRequest, documentedRequests } from '../../support/documented-requests.js'
import type { LoopTurn } from '../../support/loop-turn.js'
import { startAttackedService } from './attack.js'

/** What a service reads once it is ready, it has read by then. */
const READ_MS = 2_500
/** The page, its documents and what it loads. */
const PAGES = ['/', '/openapi.json', '/docs/', '/docs/json', '/metrics']

/** What else clients begin with, and what they do wrong. */
const BEGINNINGS: readonly DocumentedRequest[] = [
  { method: 'POST', url: '/mcp', body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } },
  { method: 'POST', url: '/api/sessions', body: { agent: 'assistant' } },
  { method: 'POST', url: '/api/tasks', body: { agent: 'assistant', goal: 'Say hello' } },
  { method: 'POST', url: '/api/render/prompts/review.code_revew', body: {} },
  { method: 'POST', url: '/api/render', body: { prompt: { userPrompt: '{{.variables.nmae' } } },
]

/** Each request that the documentation shows, and each page. */
export const FIRST_USES: readonly (DocumentedRequest & { readonly name: string })[] = [
  ...PAGES.map((url) => ({ method: 'GET' as const, url })),
  ...BEGINNINGS,
  ...documentedRequests().filter(({ url }) => !PAGES.includes(url)),
].map((request) => ({ ...request, name: nameOf(request) }))

function nameOf({ method, url, body }: DocumentedRequest): string {
  const text = body === undefined ? '' : ` ${JSON.stringify(body)}`
  return `${method} ${url}${text.length > 60 ? `${text.slice(0, 60)}…` : text}`
}

/**
 * The turns of the event loop while a service that has just started is asked for everything once, request by request in the
 * order of {@link FIRST_USES}. Whatever it reads, makes or compiles when it is first needed is in there.
 */
export async function firstUses(): Promise<readonly (readonly LoopTurn[])[]> {
  const service = await startAttackedService({}, { CATALOG_DIR: 'examples/catalog' })
  try {
    await sleep(READ_MS)
    await service.takeTurns()
    const turns: (readonly LoopTurn[])[] = []
    for (const { method, url, body } of FIRST_USES) {
      const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
      const sent = body === undefined ? {} : { headers, body: JSON.stringify(body) }
      const response = await fetch(service.url + url, { method, ...sent })
      const text = await response.text()
      if (response.status >= 500)
        throw new Error(`${method} ${url} is ${response.status}: ${text.slice(0, 200)}`)
      turns.push(await service.takeTurns())
    }
    return turns
  } finally {
    await service.stop()
  }
}
