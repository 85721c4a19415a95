import type { InjectOptions } from 'fastify'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { App, AppOverrides } from '../../../src/app.js'
import { BUNDLED_CATALOG } from '../../../src/open-shell.js'
import { type DocumentedCode, ERROR_EXAMPLES, errorExample } from '../../../src/schema/error-examples.js'
import { buildTestApp } from '../../support/build-test-app.js'
import { undocumented } from '../../support/documented-answers.js'
import { emptyRegistry } from '../../support/empty-registry.js'

/** How an error comes about over the bundled catalog. */
interface Provocation {
  readonly url: string
  readonly method?: 'PUT'
  /** Sent with POST; without one it is a GET. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly environment?: Readonly<Record<string, string>>
  readonly overrides?: AppOverrides
  /** Sent before, and not looked at. */
  readonly before?: string
  /** Sent before, and still under way. */
  readonly meanwhile?: InjectOptions
  /** Sent twice; the second answer counts. */
  readonly isRepeated?: boolean
}

const COMMIT = '/api/render/prompts/review.commit_message'
const chat = (model: string) => ({ url: '/api/chat', body: { model, prompt: { userPrompt: 'Hello' } } })
const inline = (userPrompt: string, variables = {}) => ({
  url: '/api/render',
  body: { prompt: { userPrompt }, variables },
})
const loading = { ...emptyRegistry(), status: { ...emptyRegistry().status, ready: false } }

const PROVOCATIONS: Readonly<Record<DocumentedCode, Provocation>> = {
  invalid_json: { url: COMMIT, body: '{"variables":' },
  invalid_request: { url: COMMIT, body: { variables: 1 } },
  invalid_variables: { url: COMMIT, body: { variables: { diff: '+a', max_length: 'long' } } },
  missing_variables: { url: COMMIT, body: {} },
  invalid_prompt: { url: '/api/render', body: { prompt: {} } },
  template_syntax: inline('Hello {{.variables.name'),
  invalid_sequence: {
    url: '/api/chat',
    body: {
      prompt: { userPrompt: 'Hello' },
      messages: [{ role: 'tool', tool_call_id: 'call_1', content: '42' }],
    },
  },
  llm_rejected: chat('echo:fail=400'),
  invalid_api_key: { url: '/api/prompts', environment: { API_KEYS: 'long-enough' } },
  forbidden: {
    url: '/api/tools/codebase.lookup_ref/call',
    body: {},
    environment: { TOOL_CALL_ENABLED: 'false' },
  },
  extension_not_found: { url: '/api/extensions/evaluater' },
  prompt_not_found: { url: '/api/render/prompts/evaluator.evaluate', body: {} },
  version_not_found: { url: '/api/render/prompts/review.code_review?version=8', body: {} },
  label_not_found: { url: '/api/render/prompts/review.code_review?label=qa', body: {} },
  prompt_not_portable: { url: '/compat/langfuse/api/public/v2/prompts/review.code_review' },
  environ_not_found: { url: '/api/environs/vscode.rule' },
  tool_not_found: { url: '/api/tools/codebase.lookup' },
  revision_changed: {
    url: '/api/prompts/review.code_review/source',
    method: 'PUT',
    body: { text: 'userPrompt: Hello' },
    headers: { 'if-match': '"of-another-time"' },
    environment: { PAGE_SAVE: 'true', CATALOG_DIR: BUNDLED_CATALOG },
  },
  agent_not_found: { url: '/api/agents/project.research' },
  session_not_found: { url: '/api/sessions/s1' },
  task_not_found: { url: '/api/tasks/t1' },
  response_not_found: { url: '/v1/responses/resp_1' },
  conversation_not_found: { url: '/v1/conversations/conv_1' },
  previous_response_not_found: {
    url: '/v1/responses',
    body: { model: 'echo', input: 'Hello', previous_response_id: 'resp_1' },
  },
  item_not_found: {
    url: '/v1/responses',
    body: { model: 'echo', input: [{ type: 'item_reference', id: 'msg_1' }] },
  },
  already_exists: { url: '/api/sessions', body: { agent: 'project.researcher', id: 's2' }, isRepeated: true },
  payload_too_large: {
    url: COMMIT,
    body: { variables: { diff: '+'.repeat(2_000) } },
    environment: { MAX_BODY_BYTES: '1024' },
  },
  unsupported_media_type: { url: COMMIT, body: 'diff=x', headers: { 'content-type': 'text/plain' } },
  rate_limited: { url: '/api/prompts', before: '/api/prompts', environment: { RATE_LIMIT: '1/h' } },
  template_error: inline('{{index .variables.list 3}}', { list: ['a', 'b'] }),
  llm_unavailable: chat('echo:fail=503'),
  llm_bad_response: {
    url: '/api/chat',
    body: {
      prompt: { userPrompt: '{}', returns: { type: 'object', required: ['score'] } },
      structured: true,
    },
  },
  render_timeout: {
    ...inline('{{range until 100000}}{{range until 100000}}{{len "a"}}{{end}}{{end}}'),
    environment: { RENDER_TIMEOUT_MS: '1' },
  },
  render_limit: {
    ...inline('{{define "deeper"}}{{template "deeper" .}}{{end}}{{template "deeper" .}}'),
    environment: { RENDER_TIMEOUT_MS: '60000' },
  },
  overloaded: {
    url: '/api/prompts',
    environment: { MAX_IN_FLIGHT: '1' },
    meanwhile: {
      method: 'POST',
      url: '/v1/chat/completions',
      payload: {
        model: 'echo:pace=300',
        messages: [{ role: 'user', content: 'one two three' }],
        stream: true,
      },
    },
  },
  not_ready: { url: '/api/prompts', overrides: { registry: loading } },
}

let bundled: App
beforeAll(async () => {
  bundled = await open({})
})
afterAll(() => bundled.close())

function open({ environment = {}, overrides = {} }: Partial<Provocation>): Promise<App> {
  return buildTestApp(environment, overrides)
}

async function provoke(
  { server }: App,
  { url, method, body, headers = {}, before, meanwhile, isRepeated = false }: Provocation,
) {
  if (meanwhile !== undefined) {
    void server.inject(meanwhile)
    await vi.waitUntil(() => server.inFlight.count === 1)
  }
  if (before !== undefined) await server.inject(before)
  const payload = typeof body === 'string' ? body : JSON.stringify(body)
  const request: InjectOptions = {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    url,
    headers: {
      'x-request-id': 'req-5f2b8c1d90ae-1',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { payload }),
  }
  if (isRepeated) await server.inject(request)
  return server.inject(request)
}

describe('the example of every error', () => {
  it.each(Object.keys(ERROR_EXAMPLES) as DocumentedCode[])('%s is what the service answers', async (code) => {
    const provocation = PROVOCATIONS[code]
    const isUsual = provocation.environment === undefined && provocation.overrides === undefined
    const app = isUsual ? bundled : await open(provocation)
    try {
      if (code !== 'not_ready') await app.registry.whenReady()
      const answer = await provoke(app, provocation)
      const [answered, example] = [answer.json(), errorExample(code)]
      const { statusCode: status, headers, body: text } = answer
      const { url } = provocation
      const method = provocation.method ?? (provocation.body === undefined ? 'GET' : 'POST')
      expect(undocumented({ method, url, status, headers, text })).toEqual([])
      // Where the time runs out, the clock decides.
      if (code === 'render_timeout')
        expect(answered.error.message).toMatch(/: render deadline exceeded\. A render may take/)
      // Clients of another service look for the message at the top, too.
      else if ('message' in answered)
        expect(answered).toEqual({ ...example, message: answered.error.message })
      else expect(answered).toEqual(example)
    } finally {
      if (!isUsual) await app.close()
    }
  })
})
