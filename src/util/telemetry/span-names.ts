/**
 * Names of spans and attributes: those of OpenTelemetry's conventions for HTTP and generative AI as of November 2026, which
 * are still moving, and ours below `aps.`. Nothing else knows any of them.
 */
export const ATTRIBUTE = {
  method: 'http.request.method',
  route: 'http.route',
  status: 'http.response.status_code',
  error: 'error.type',
  requestId: 'aps.request.id',
  key: 'aps.key.name',
  operation: 'gen_ai.operation.name',
  provider: 'gen_ai.provider.name',
  requestModel: 'gen_ai.request.model',
  responseModel: 'gen_ai.response.model',
  inputTokens: 'gen_ai.usage.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
  attempts: 'aps.model.attempts',
  rescued: 'aps.model.rescued_tool_calls',
  cost: 'aps.model.cost',
  promptName: 'gen_ai.prompt.name',
  promptVersion: 'gen_ai.prompt.version',
  promptRevision: 'aps.prompt.revision',
  promptLabel: 'aps.prompt.label',
  promptBucket: 'aps.prompt.bucket',
  cacheHit: 'aps.prompt.cache_hit',
  warnings: 'aps.prompt.warnings',
  toolName: 'gen_ai.tool.name',
  toolId: 'aps.tool.id',
  toolType: 'aps.tool.type',
  toolCached: 'aps.tool.cached',
  agentName: 'gen_ai.agent.name',
  conversation: 'gen_ai.conversation.id',
  turn: 'aps.turn',
  task: 'aps.task.id',
  phase: 'aps.task.phase',
  round: 'aps.task.round',
  endedBy: 'aps.ended_by',
  inputMessages: 'gen_ai.input.messages',
  outputMessages: 'gen_ai.output.messages',
  toolArguments: 'gen_ai.tool.call.arguments',
  toolResult: 'gen_ai.tool.call.result',
  evaluationName: 'gen_ai.evaluation.name',
  evaluationScore: 'gen_ai.evaluation.score.value',
} as const

/** The attribute of one of a prompt's variables. */
export function variableAttribute(name: string): string {
  return `gen_ai.prompt.variable.${name}`
}

/** Names of spans. */
export const SPAN = {
  request: (method: string, route: string) => `${method} ${route}`,
  render: (prompt: string) => `render ${prompt}`,
  tool: (name: string) => `execute_tool ${name}`,
  chat: (model: string) => `chat ${model}`,
  agent: (name: string) => `invoke_agent ${name}`,
  task: 'task',
  phase: (phase: string) => `task ${phase}`,
} as const

/** Names of events of spans. */
export const SPAN_EVENT = { evaluation: 'gen_ai.evaluation.result' } as const

/** Values of `gen_ai.operation.name`. */
export const OPERATION = { chat: 'chat', tool: 'execute_tool', agent: 'invoke_agent' } as const
