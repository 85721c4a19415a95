import type { JsonObject } from '../util/json/json.js'

const revision = 'f2e912f2c20b97675887f81c'

/** A page with one entry, and how many entries there are on all pages. */
function page(entry: JsonObject, total: number, cursor: string): JsonObject {
  return { items: [{ ...entry, revision }], total, broken: 0, next_cursor: cursor }
}

function model(id: string): JsonObject {
  return { id, object: 'model', created: 0, owned_by: 'ai-prompt-shell' }
}

const item = {
  type: 'message',
  role: 'user',
  content: [{ type: 'input_text', text: 'Hello' }],
  id: 'msg_0a1b2c3d4e5f6a7b',
}
const items = { object: 'list', data: [item], first_id: item.id, last_id: item.id, has_more: false }
const conversation = {
  id: 'conv_0a1b2c3d4e5f6a7b',
  object: 'conversation',
  created_at: 1795308233,
  metadata: { topic: 'demo' },
}

/** What operations without a memory of ours answer over the bundled catalog, by their `operationId`; lists with `?limit=1`. */
export const CATALOG_EXAMPLES: JsonObject = {
  getMe: {
    name: null,
    scopes: ['read', 'render', 'inline', 'chat', 'agents', 'tasks', 'tools', 'admin'],
    prompts: null,
    rate: null,
    expires_at: null,
  },
  listExtensions: page(
    {
      id: 'evaluator',
      name: 'evaluator',
      displayName: '项目质量评估器',
      description: '评估项目代码的质量，给出各个质量维度的评估报告',
      version: '1.0.0',
      publisher: 'zgsm-ai',
      prompts: ['evaluate_quality'],
    },
    2,
    'ZXZhbHVhdG9y',
  ),
  listPrompts: page(
    {
      id: 'chat.explain_code',
      name: 'explain_code',
      description: "Explain code to a reader of a given level, in the project's context",
      kind: 'messages',
      origin: 'direct',
      supports: ['chat'],
      examples: ['discount', 'for_a_manager'],
    },
    21,
    'Y2hhdC5leHBsYWluX2NvZGU',
  ),
  listEnvirons: page(
    { id: 'codebase.current_project', type: 'object' },
    6,
    'Y29kZWJhc2UuY3VycmVudF9wcm9qZWN0',
  ),
  listTools: page(
    {
      id: 'codebase.caller',
      name: 'caller',
      function: 'codebase_caller',
      module: 'codebase',
      type: 'restful',
      readOnly: true,
      description: 'The functions that call a function',
      supports: ['chat', 'codereview'],
    },
    5,
    'Y29kZWJhc2UuY2FsbGVy',
  ),
  listAgents: page(
    {
      id: 'project.guide',
      name: 'guide',
      description: 'Answers questions about the project from its code, documentation and issues',
      tools: ['codebase.*', 'docs.search', 'issues.recent'],
      protocol: 'native',
      role: 'main',
    },
    2,
    'cHJvamVjdC5ndWlkZQ',
  ),
  getExtension: {
    name: 'evaluator',
    publisher: 'zgsm-ai',
    version: '1.0.0',
    extensionType: 'prompt',
    id: 'evaluator',
    revision,
  },
  getPrompt: {
    description: 'Review a change for correctness, security and readability',
    id: 'review.code_review',
    origin: 'direct',
    kind: 'messages',
    engine: 'go',
    revision,
  },
  getEnviron: { id: 'vscode.programming_language', revision, value: 'go' },
  getTool: {
    name: 'lookup_ref',
    module: 'codebase',
    type: 'restful',
    restful: { url: '/references', method: 'GET' },
    description: 'Where a symbol is referenced: one file:line with its text per line',
    returns: { type: 'string' },
    readOnly: true,
    id: 'codebase.lookup_ref',
    function: 'codebase_lookup_ref',
    origin: 'direct',
    revision,
  },
  getAgent: {
    description:
      'Collects facts about the project for others, with a model that writes its tool calls as text',
    role: 'browsing',
    protocol: 'mcp-xml',
    tools: ['codebase.lookup_ref', 'docs.search'],
    name: 'researcher',
    id: 'project.researcher',
    revision,
  },
  callTool: {
    status: 'failed',
    tool: 'codebase.lookup_ref',
    function: 'codebase_lookup_ref',
    arguments: { symbol: 'CreateOrder' },
    duration_ms: 0.74,
    error: {
      code: 'invalid_tool',
      message:
        'the relative url "/references" has no base: set modules.codebase.baseUrl, TOOL_BASE_URLS or TOOL_BASE_URL',
    },
    substituted: '',
  },
  listModels: {
    object: 'list',
    data: [model('echo'), model('prompt:review.code_review'), model('agent:project.guide')],
  },
  getModel: model('prompt:review.code_review'),
  listInputItems: items,
  deleteResponse: { id: 'resp_0a1b2c3d4e5f6a7b', object: 'response', deleted: true },
  createConversation: conversation,
  getConversation: conversation,
  updateConversation: conversation,
  deleteConversation: { id: conversation.id, object: 'conversation.deleted', deleted: true },
  listConversationItems: items,
  createConversationItems: items,
  getConversationItem: item,
  deleteConversationItem: conversation,
  getLiveness: { status: 'ok' },
  getReadiness: { status: 'ready' },
  getServiceInfo: {
    name: 'ai-prompt-shell',
    version: '0.2.0',
    documentation: '/docs',
    openapi: '/openapi.json',
    prompts: '/api/prompts',
    status: '/api/status',
  },
  getStatus: {
    status: 'ready',
    version: '0.2.0',
    store: { kind: 'directory', location: '/srv/catalog', connected: true, mode: 'watch' },
    diagnostics: [],
    diagnostics_total: { errors: 0, warnings: 0 },
  },
}
