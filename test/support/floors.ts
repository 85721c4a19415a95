/** Lowest first. A file imports its own floor or lower. */
export const FLOORS: readonly (readonly string[])[] = [
  ['errors.ts', 'schema', 'util'],
  ['template', 'conversation', 'versions'],
  ['transport', 'redis', 'store', 'state'],
  ['registry'],
  ['tools', 'llm'],
  ['prompts', 'prompt-library', 'protocols'],
  ['proof'],
  ['agents'],
  ['tasks', 'responses'],
  ['access'],
  ['mcp'],
  ['http'],
  [
    'config.ts',
    'unknown-names.ts',
    'app.ts',
    'configured.ts',
    'open-shell.ts',
    'warm-up.ts',
    'open-agents.ts',
    'open-state.ts',
    'open-keys.ts',
    'open-telemetry.ts',
    'open-tasks.ts',
    'open-catalog-webhooks.ts',
    'open-webhooks.ts',
    'client.ts',
    'client',
    'index.ts',
    'agent.ts',
    'testing.ts',
    'testing',
  ],
  ['main.ts', 'cli'],
]

/** What a room is for, in the words of the picture. */
export const ABOUT: Readonly<Record<string, string>> = {
  'errors.ts': 'every error, once',
  schema: 'shapes of documents, bodies, settings',
  util: 'small pure helpers, time limits, the call context',
  template: 'the engine: parse, compile, run; no I/O',
  conversation: 'the one message type',
  versions: 'versions, labels, releases; no I/O',
  transport: 'HTTP, gRPC, MCP; breakers, retries',
  redis: 'connections that read, and that write',
  store: 'Redis and folders as catalogs, watched',
  state: 'of sessions and tasks; leases, events',
  registry: 'documents → one snapshot, prepared and swapped',
  tools: 'the toolbox: REST, gRPC and MCP tools',
  llm: 'models as an onion; the only reader of choices',
  prompts: 'render, chat, assembled conversations',
  'prompt-library': 'what embedders import',
  protocols: 'tool calls in text, guards',
  proof: 'tests of prompts: renders judged, snapshots',
  agents: 'the loop, memory, sessions',
  tasks: 'plan, execute, evaluate, reflect',
  responses: 'responses that are kept, conversations',
  access: 'keys, scopes, what a key may see',
  mcp: 'the catalog for MCP clients',
  http: 'routes, events, OpenAPI, the page’s files',
  'app.ts': 'puts everything together',
  'config.ts': 'reads the environment, alone',
  client: 'the HTTP client, fetch only',
  testing: 'the scripted model',
  'main.ts': 'the process',
  cli: 'the command line',
}

/** The rooms that a thing comes through, in order; each knows the next. */
export interface Way {
  readonly name: string
  readonly colour: string
  readonly rooms: readonly string[]
}

export const WAYS: readonly Way[] = [
  { name: 'a render', colour: '#2f6fde', rooms: ['http', 'prompts', 'registry', 'template'] },
  { name: 'a chat', colour: '#b5570c', rooms: ['http', 'prompts', 'llm', 'transport'] },
  { name: 'a tool call in a template', colour: '#1a7f4b', rooms: ['prompts', 'tools', 'transport'] },
  { name: 'a change in the store', colour: '#8b3fc4', rooms: ['registry', 'store'] },
  { name: 'a task and its agents', colour: '#c2305f', rooms: ['http', 'tasks', 'agents', 'state'] },
]
