/** Variables for a prompt, from the schema of its parameters. */
export function variablesOf(schema = {}) {
  const properties = Object.entries(schema.properties ?? {})
  return Object.fromEntries(properties.map(([name, each]) => [name, exampleOf(name, each)]))
}

function exampleOf(name, { type, enum: allowed, default: usual, items, properties }) {
  if (usual !== undefined) return usual
  if (allowed !== undefined) return allowed[0]
  const [first] = [type].flat()
  if (first === 'integer' || first === 'number') return 3
  if (first === 'boolean') return true
  if (first === 'array') return [exampleOf('item', items ?? {}), exampleOf('other', items ?? {})]
  if (first === 'object') return variablesOf({ properties })
  return /url/.test(name) ? 'https://example.com/a.png' : `a text for ${name}`
}

const get = (url, headers = {}) => ({ method: 'GET', url, headers })
const post = (url, body, headers = {}) => ({ method: 'POST', url, body, headers })

/**
 * Requests of clients that know no labels: lists, what is read, everything that renders, chats, and mistakes.
 *
 * @param catalog what the other build lists: `{ prompts, agents, tools, environs, extensions }`, each by its id, prompts with
 * the schema of their variables
 */
export function corpusOf({ prompts, agents, tools, environs, extensions }) {
  return [
    ...lists(),
    ...[...prompts.entries()].flatMap(([id, { parameters }]) => ofPrompt(id, variablesOf(parameters))),
    ...agents.flatMap(ofAgent),
    ...tools.map((id) => get(`/api/tools/${id}`)),
    ...environs.map((id) => get(`/api/environs/${id}`)),
    ...extensions.map((id) => get(`/api/extensions/${id}`)),
    ...inline(),
    ...plainModels(),
    ...mistakes(),
    ...mcp([...prompts.entries()].map(([id, { parameters }]) => [id, variablesOf(parameters)])),
  ]
}

function lists() {
  const kinds = ['prompts', 'agents', 'tools', 'environs', 'extensions']
  return [
    ...kinds.flatMap((kind) => [
      get(`/api/${kind}`),
      get(`/api/${kind}?limit=2`),
      get(`/api/${kind}?q=review`),
    ]),
    ...[
      '/v1/models',
      '/v1/models/echo',
      '/v1/models/none',
      '/healthz',
      '/readyz',
      '/api/me',
      '/api/sessions',
      '/api/tasks',
      '/api/approvals',
    ].map((url) => get(url)),
  ]
}

const question = [{ role: 'user', content: 'And then?' }]

function ofPrompt(id, variables) {
  const without = Object.fromEntries(Object.entries(variables).slice(1))
  const reference = { id, variables }
  return [
    get(`/api/prompts/${id}`),
    ...[variables, without, {}, { ...variables, surplus: 1 }].flatMap((each) => [
      post(`/api/render/prompts/${id}`, { variables: each }),
      post(`/api/prompts/${id}/render`, { args: each }),
    ]),
    post(`/api/render/prompts/${id}`, { variables }, { accept: 'text/plain' }),
    post(`/api/render/prompts/${id}?explain=true`, { variables }),
    post(`/api/render/prompts/${id}`, { variables, scenario: 'completion' }),
    post('/api/render', {
      compose: [
        { prompt: id, variables },
        { role: 'user', text: 'And then?' },
      ],
    }),
    post(`/api/chat/prompts/${id}`, { variables }),
    post(`/api/prompts/${id}/chat`, { variables, stream: true }),
    post('/v1/chat/completions', { model: `prompt:${id}`, variables, messages: question }),
    post('/v1/chat/completions', { prompt: reference, messages: question, stream: true }),
    post('/v1/chat/completions', { prompt: { ...reference, version: 'none' }, messages: question }),
    post('/v1/responses', { prompt: reference, input: 'And then?' }),
    post('/v1/responses', { prompt: reference, input: 'And then?', stream: true }),
  ]
}

function ofAgent(id) {
  return [
    get(`/api/agents/${id}`),
    post('/v1/chat/completions', { model: `agent:${id}`, messages: question }),
    post('/v1/chat/completions', { model: `agent:${id}`, messages: question, stream: true }),
  ]
}

function inline() {
  const prompt = { userPrompt: 'Hello {{.variables.name}}, {{.environs.vscode.rules}}' }
  return [
    post('/api/render', { prompt, variables: { name: 'Ada' } }),
    post('/api/render', { prompt, variables: {} }),
    post('/api/render', { prompt: { userPrompt: '{{include "partials.house_style" .}}' } }),
    post('/api/render', { prompt: { userPrompt: '{{.variables.name' } }),
    post('/api/render', {
      compose: [
        { role: 'user', text: 'one' },
        { role: 'assistant', text: 'two' },
      ],
    }),
    post('/api/chat', { prompt, variables: { name: 'Ada' } }),
    post('/api/chat', { prompt, variables: { name: 'Ada' }, stream: true }),
  ]
}

function plainModels() {
  return [{ model: 'echo' }, { model: 'any' }, {}].flatMap((given) => [
    post('/v1/chat/completions', { ...given, messages: question }),
    post('/v1/chat/completions', { ...given, messages: question, stream: true }),
    post('/v1/responses', { ...given, input: 'Hello' }),
  ])
}

function mistakes() {
  return [
    get('/api/prompts/review.code_reviev'),
    get('/api/prompts/none'),
    get('/api/nothing'),
    post('/api/prompts', {}),
    post('/api/render/prompts/none', { variables: {} }),
    post('/api/render/prompts/review.code_review', { variabels: {} }),
    post('/api/render/prompts/review.code_review', { variables: [] }),
    post('/api/render', {}),
    post('/v1/chat/completions', { model: 'prompt:none', messages: question }),
    post('/v1/chat/completions', { model: 'agent:none', messages: question }),
    post('/v1/chat/completions', { prompt: { id: 'none' }, messages: question }),
    post('/v1/chat/completions', { model: 'echo' }),
    post('/v1/responses', { prompt: { id: 'none' }, input: 'x' }),
    { method: 'POST', url: '/api/render', raw: '{"prompt":', headers: {} },
  ]
}

function mcp(prompts) {
  const headers = { accept: 'application/json, text/event-stream' }
  const call = (method, params = {}) => post('/mcp', { jsonrpc: '2.0', id: 1, method, params }, headers)
  const text = (variables) =>
    Object.fromEntries(
      Object.entries(variables).map(([name, value]) => [
        name,
        typeof value === 'string' ? value : JSON.stringify(value),
      ]),
    )
  const clientInfo = { name: 'unaware', version: '1' }
  return [
    call('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo }),
    ...['prompts/list', 'tools/list', 'resources/list', 'resources/templates/list'].map((method) =>
      call(method),
    ),
    ...prompts.map(([name, variables]) => call('prompts/get', { name, arguments: text(variables) })),
    call('prompts/get', { name: 'none' }),
  ]
}
