/** A message of an MCP client. */
export interface McpMessage {
  readonly name: string
  readonly method: string
  readonly params: () => object
}

/** About the longest that a message may be. */
const LONG = 240_000
const A = 'a'.repeat(LONG)

/** Messages that ask for much: their uris, names, arguments and cursors. */
export const MCP_MESSAGES: readonly McpMessage[] = [
  {
    name: 'a path of many parts',
    method: 'resources/read',
    params: () => ({ uri: `environ://${'a.'.repeat(LONG / 2)}` }),
  },
  {
    name: 'a path below a large variable',
    method: 'resources/read',
    params: () => ({ uri: `environ://large${'.a'.repeat(LONG / 2)}` }),
  },
  { name: 'a large variable', method: 'resources/read', params: () => ({ uri: 'environ://large' }) },
  {
    name: 'a variable of 190,000 names',
    method: 'resources/read',
    params: () => ({ uri: 'environ://huge' }),
  },
  {
    name: 'a prompt that prints 190,000 names',
    method: 'prompts/get',
    params: () => ({ name: 'p.huge' }),
  },
  {
    name: 'a prompt that looks for one of 190,000 names',
    method: 'prompts/get',
    params: () => ({ name: 'p.name' }),
  },
  { name: 'a long uri', method: 'resources/read', params: () => ({ uri: A }) },
  {
    name: 'a uri of percent signs',
    method: 'resources/read',
    params: () => ({ uri: `prompt://${'%41'.repeat(LONG / 3)}` }),
  },
  {
    name: 'a picture that has no end',
    method: 'prompts/get',
    params: () => ({ name: 'p.picture', arguments: { url: `data:${A}` } }),
  },
  {
    name: 'a picture of many types',
    method: 'prompts/get',
    params: () => ({ name: 'p.picture', arguments: { url: `data:${'a/b;'.repeat(LONG / 4)}` } }),
  },
  {
    name: 'a list as an argument',
    method: 'prompts/get',
    params: () => ({ name: 'p.list', arguments: { list: `[${'1,'.repeat(9_000)}1]` } }),
  },
  {
    name: 'a long text as an argument',
    method: 'prompts/get',
    params: () => ({ name: 'p.list', arguments: { list: JSON.stringify([A.slice(0, LONG - 100)]) } }),
  },
  {
    name: 'a deep list as an argument',
    method: 'prompts/get',
    params: () => ({ name: 'p.list', arguments: { list: '['.repeat(LONG) } }),
  },
  {
    name: 'digits as an argument',
    method: 'prompts/get',
    params: () => ({ name: 'p.list', arguments: { list: '7'.repeat(LONG) } }),
  },
  {
    name: 'many arguments',
    method: 'prompts/get',
    params: () => ({
      name: 'p.list',
      arguments: Object.fromEntries(Array.from({ length: 4_900 }, (_, at) => [`name${at}`, '1'])),
    }),
  },
  { name: 'a long name', method: 'prompts/get', params: () => ({ name: A }) },
  {
    name: 'a completion of a long text',
    method: 'completion/complete',
    params: () => ({ ref: { type: 'ref/prompt', name: 'p.list' }, argument: { name: 'kind', value: A } }),
  },
  {
    name: 'a completion of a long uri',
    method: 'completion/complete',
    params: () => ({ ref: { type: 'ref/resource', uri: A }, argument: { name: 'a', value: '' } }),
  },
  { name: 'a long cursor', method: 'prompts/list', params: () => ({ cursor: A }) },
  { name: 'the name of a tool', method: 'tools/call', params: () => ({ name: A }) },
  {
    name: 'a long query',
    method: 'tools/call',
    params: () => ({ name: 'list_prompts', arguments: { query: A } }),
  },
  {
    name: 'variables that are compared',
    method: 'tools/call',
    params: () => ({
      name: 'render_prompt',
      arguments: { id: 'p.unique', variables: { list: Array.from({ length: 3_000 }, (_, a) => ({ a })) } },
    }),
  },
  {
    name: 'digits as a variable',
    method: 'tools/call',
    params: () => ({
      name: 'render_prompt',
      arguments: { id: 'p.round', variables: { number: `${'9'.repeat(LONG - 1_000)}x` } },
    }),
  },
  {
    name: 'arguments that are compared',
    method: 'tools/call',
    params: () => ({
      name: 'm_unique',
      arguments: { list: Array.from({ length: 3_000 }, (_, a) => ({ a })) },
    }),
  },
]

const takes = (userPrompt: string, properties: object) => ({
  userPrompt,
  parameters: { type: 'object', properties },
})

/** What they ask for. */
export const MCP_DOCUMENTS: Readonly<Record<string, unknown>> = {
  'templates/p/picture.json': {
    messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: '{{.variables.url}}' } }] }],
  },
  'templates/p/list.json': takes('{{len .variables.list}}', {
    list: { type: 'array' },
    kind: { enum: ['a', 'b'] },
  }),
  'templates/p/unique.json': takes('{{len (uniq .variables.list)}}', {
    list: { type: 'array', uniqueItems: true },
  }),
  'templates/p/round.json': takes('{{round .variables.number 2}}', { number: {} }),
  'tools/m/unique.json': {
    url: 'http://127.0.0.1:9/',
    parameters: { type: 'object', properties: { list: { type: 'array', uniqueItems: true } } },
  },
  'templates/p/huge.json': { userPrompt: '{{.huge}}{{range .huge}}{{end}}' },
  'templates/p/name.json': { userPrompt: '{{hasKey .huge "name 7"}}{{len .huge}}' },
  'environs/huge.json': Object.fromEntries(Array.from({ length: 190_000 }, (_, at) => [`name ${at}`, at])),
  'environs/large.json': Object.fromEntries(
    Array.from({ length: 20_000 }, (_, at) => [`name${at}`, { value: at }]),
  ),
}
