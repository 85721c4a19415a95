/** What programs need to build agents: the loop, sessions, tools, memory, and tool calls in text. */
export type { Agent } from './agents/agent.js'
export { AgentBuilder } from './agents/agent-builder.js'
export { type AgentConfig, DEFAULT_AGENT_CONFIG } from './agents/agent-config.js'
export { AgentSession } from './agents/agent-session.js'
export { ContextManager } from './agents/context-manager.js'
export type { AnswerForm, ContextSettings } from './agents/cycle/cycle-setup.js'
export type { EndedBy, TurnResult } from './agents/cycle/turn-event.js'
export type { AgentRole } from './agents/guards/final-answer.js'
export type { GuardSettings } from './agents/guards/guard-settings.js'
export {
  allow,
  block,
  type Hook,
  type HookContext,
  type HookEvent,
  HookExecutor,
  type HookResult,
  patch,
} from './agents/hook-executor.js'
export { isRecoverable } from './agents/is-recoverable.js'
export { DEFAULT_LIMITS, type Limits } from './agents/limits.js'
export { type CycleAnswer, LlmCycle, type LlmCycleOptions, type SubmitOptions } from './agents/llm-cycle.js'
export {
  ConversationMemory,
  type ConversationMemoryConfig,
  type MemoryStrategy,
} from './agents/memory/conversation-memory.js'
export type { CompactConfig } from './agents/memory/conversation-summary.js'
export { type KnowledgePage, KnowledgeStore } from './agents/memory/knowledge-store.js'
export {
  MemoryRetriever,
  type Retrieval,
  type RetrievedPage,
  type RetrieverConfig,
} from './agents/memory/memory-retriever.js'
export {
  InMemoryStore,
  type MemoryFilter,
  type MemoryItem,
  type MemoryStore,
} from './agents/memory/memory-store.js'
export {
  openRedisMemory,
  type RedisMemory,
  type RedisMemoryAddress,
} from './agents/memory/open-redis-memory.js'
export { SessionMemory } from './agents/memory/session-memory.js'
export type { ProgramEvent as TurnEvent, ProgramRun as TurnRun } from './agents/program-run.js'
export type { ApprovalQuestion, ApprovalReply, Approve } from './agents/run-local-turn.js'
export type { RuntimeBundle } from './agents/runtime-bundle.js'
export type { ApprovalAnswer } from './agents/sessions/approvals.js'
export type { TurnOptions } from './agents/sessions/held-session.js'
export {
  openSessions,
  type ProgramApproval,
  type ProgramContext,
  ProgramSession,
  type ProgramSessionState,
  type ProgramSessions,
  type ProgramSessionsOptions,
  type ProgramTurn,
} from './agents/sessions/program-sessions.js'
export { type McpServerAddress, type McpTools, openMcpTools } from './agents/tools/mcp-tools.js'
export type {
  ParameterSchema,
  SchemaObject,
  SchemaValue,
  StandardSchema,
} from './agents/tools/parameter-schema.js'
export { PermissionChecker, PermissionConfig, type PermissionRules } from './agents/tools/permission.js'
export { type BaseTool, type NamedCall, ToolRegistry } from './agents/tools/tool-registry.js'
export { type TypedTool, tool } from './agents/tools/typed-tool.js'
export type { Message } from './conversation/message.js'
export type { ToolCall } from './conversation/tool-calls.js'
export { ServiceError } from './errors.js'
export type { AnsweringModel, Model, Usage } from './llm/model.js'
export {
  type Generated,
  type GeneratedCall,
  type GenerateRequest,
  type ModelSource,
  modelFrom,
} from './llm/model-from.js'
export { modelsByName } from './llm/models-by-name.js'
export { type ModelAddress, openModel } from './llm/open-model.js'
export { CostTracker, type Spending, type TotalUsage } from './llm/usage.js'
export { extractBoxed } from './protocols/boxed.js'
export {
  type MalformedCall,
  type ParsedCalls,
  type ParseOptions,
  parseToolCalls,
} from './protocols/parse-calls.js'
export type {
  CallResult,
  EncodableCall,
  Part,
  ProtocolId,
  TextParser,
  ToolProtocol,
} from './protocols/protocol.js'
export { type LoadedJson, safeJsonLoads } from './protocols/safe-json-loads.js'
export {
  type ChatTemplateId,
  type ChatTemplateInput,
  renderChatTemplate,
} from './protocols/templates/chat-template.js'
export { toolProtocol } from './protocols/tool-protocol.js'
export type { ApprovalState } from './state/contract/approval-state.js'
export type { ContextState, MemoryState, MessageState } from './state/contract/context-state.js'
export type { EventState } from './state/contract/event-state.js'
export type { ItemState } from './state/contract/item-state.js'
export type { LeaseState } from './state/contract/lease-state.js'
export type { ClaimState, RecordState } from './state/contract/record-state.js'
export type { OpenTasks, OpenTurns, TurnState } from './state/contract/turn-state.js'
export { createMemoryState, type MemoryStateOptions } from './state/memory-state.js'
export type { SessionStore, StateLife, StateStore } from './state/state-store.js'
export type { Phase } from './tasks/checkpoint.js'
export type { ProgramEvaluation as Evaluation } from './tasks/evaluation.js'
export { ENDINGS, nextPhase, type TaskEndedBy } from './tasks/next-phase.js'
export { JsonPlanParser, type PartialPlan, type PlanParser } from './tasks/parse-plan.js'
export { isPending, isTerminal, type Plan, type Step, type StepStatus } from './tasks/plan.js'
export { createBuiltInPrompts, type PlannerPrompts } from './tasks/planner-prompts.js'
export {
  type ProgramPhases,
  type ProgramTaskEvent as TaskEvent,
  type ReflectiveTaskOptions,
  runReflectiveTask,
  type TaskOutcome,
} from './tasks/reflective-task.js'
export { resolveParameters } from './tasks/resolve-parameters.js'
export { TaskAgent } from './tasks/task-agent.js'
export { DEFAULT_TASK_CONFIG, type TaskConfig } from './tasks/task-config.js'
export type { WireTaskResult } from './tasks/task-event.js'
export { type ProgramReflection as Reflection, TaskPhases } from './tasks/task-phases.js'
export type { TaskStorage } from './tasks/task-storage.js'
export type { ToolOutcome } from './tools/tool.js'
export type { Permission, Tool, Toolbox } from './tools/toolbox.js'
export type { JsonObject } from './util/json/json.js'
