import type { ToolCall } from '../../conversation/tool-calls.js'
import { callTool } from '../../tools/call-tool.js'
import { refusedOutcome, type ToolOutcome } from '../../tools/tool.js'
import type { Permission, Tool } from '../../tools/toolbox.js'
import type { CallContext } from '../../util/call-context.js'
import { type JsonObject, own } from '../../util/json/json.js'
import type { Clock } from '../../util/time/clock.js'
import type { HookExecutor } from '../hook-executor.js'
import { AgentTool, type ReportUsage } from './agent-tool.js'
import { strictest } from './permission.js'

/** The rules for every tool call of a model: in a turn, a task step or a nested agent. */
export interface ModelCallRules {
  readonly hooks: HookExecutor
  /** What the agent permits, in addition to what the tool itself says. */
  readonly permission: (tool: Tool) => Permission
  /** Notified of what models used that a tool asked. */
  readonly spend: ReportUsage
  readonly call: CallContext
  /** Longest time of one call, in milliseconds. */
  readonly toolTimeoutMs: number
  readonly clock: Clock
}

/** What sets `toolTimeoutMs`, for messages: a setting of the service, an option of programs. */
const LIMIT_NAME = 'AGENT_TOOL_TIMEOUT_MS, or toolTimeoutMs of a program'

/** A call as a model asked for it. Equal keys mark repetitions of one call. */
export interface CallOfModel extends ToolCall {
  readonly idempotencyKey: string
}

/**
 * Makes one tool call: the one place for permission, hooks (`preTool` may refuse it or change its arguments, `postTool` may
 * replace its result), idempotency and what nested models use. A call that is refused never reaches the tool.
 */
export async function callForModel(
  rules: ModelCallRules,
  tool: Tool,
  asked: CallOfModel,
): Promise<ToolOutcome> {
  const { hooks, clock, call } = rules
  // Rules may have become stricter since the call was asked for.
  if (strictest(tool.permission, rules.permission(tool)) === 'deny')
    return refusedOutcome({ code: 'forbidden', message: `the tool "${tool.name}" is not permitted` })
  let { arguments: args } = asked
  if (hooks.has('preTool')) {
    const { blocked, patch } = await hooks.execute({ event: 'preTool', call: callForHooks(asked, args) })
    if (blocked !== undefined) return refusedOutcome({ code: 'forbidden', message: blocked })
    if (patch !== undefined) args = { ...args, ...patch }
  }
  const counted = tool instanceof AgentTool ? tool.spending(rules.spend) : tool
  const how = {
    now: clock.now,
    limitName: LIMIT_NAME,
    callId: asked.id,
    idempotencyKey: asked.idempotencyKey,
  }
  const outcome = await callTool(counted, args, call, rules.toolTimeoutMs, how)
  if (!hooks.has('postTool')) return outcome
  const { patch } = await hooks.execute({ event: 'postTool', call: callForHooks(asked, args), outcome })
  return patch === undefined ? outcome : patchedOutcome(outcome, patch)
}

/** A call as hooks see it. */
function callForHooks({ idempotencyKey: _, ...call }: CallOfModel, args: JsonObject): ToolCall {
  return { ...call, arguments: args }
}

/** A hook may put another value in place of a result. */
function patchedOutcome(outcome: ToolOutcome, patch: JsonObject): ToolOutcome {
  const value = own(patch, 'value')
  if (value === undefined) return outcome
  const { arguments: args, durationMs } = outcome
  return { ok: true, value, cached: false, arguments: args ?? {}, durationMs, warnings: [] }
}
