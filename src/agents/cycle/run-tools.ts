import { hash } from 'node:crypto'
import { toolResultMessage } from '../../conversation/tool-calls.js'
import { callTool } from '../../tools/call-tool.js'
import type { ToolOutcome } from '../../tools/tool.js'
import type { ToolFailureCode } from '../../tools/tool-failure.js'
import { narrowContext } from '../../util/call-context.js'
import { type JsonObject, own } from '../../util/json.js'
import { AgentTool, type Spend } from '../tools/agent-tool.js'
import { strictest } from '../tools/permission.js'
import type { CycleSetup } from './cycle-setup.js'
import type { PendingCall } from './cycle-state.js'
import { failureText, resultText } from './result-text.js'
import { toolResultEvent } from './tool-result-event.js'

/** A call's result, as the model will read it. */
export interface CallResult {
  readonly call: PendingCall
  readonly ok: boolean
  readonly code: string | undefined
  readonly text: string
  readonly message: ReturnType<typeof toolResultMessage>
}

/** Who is told of what comes of calls. */
export interface CallObserver {
  /** Told before calls run: a promise is waited for. */
  onBegin(calls: readonly PendingCall[]): Promise<void> | undefined
  onResult(result: CallResult): void
  /** Of models that a tool has asked. */
  onSpent: Spend
}

/**
 * Runs calls, side by side or one after another, and tells of each as it ends. Every call gets exactly one result,
 * whatever happens to it or to its siblings.
 */
export async function runTools(
  setup: CycleSetup,
  step: number,
  calls: readonly PendingCall[],
  observer: CallObserver,
): Promise<void> {
  if (setup.protocol === undefined && calls.length > 1) {
    const begun = observer.onBegin(calls)
    if (begun !== undefined) await begun
    await Promise.all(calls.map((call) => runTool(setup, step, call, observer)))
    return
  }
  for (const call of calls) {
    const begun = observer.onBegin([call])
    if (begun !== undefined) await begun
    await runTool(setup, step, call, observer)
  }
}

async function runTool(
  setup: CycleSetup,
  step: number,
  call: PendingCall,
  observer: CallObserver,
): Promise<void> {
  const startedAt = setup.clock.now()
  const outcome = await outcomeOf(setup, step, call, observer.onSpent)
  const text = outcome.text ?? resultText(outcome.value)
  const ok = outcome.text === undefined && outcome.value.ok
  const code = outcome.code ?? (outcome.value?.ok === false ? outcome.value.code : undefined)
  const durationMs = Math.round(setup.clock.now() - startedAt)
  setup.emit(toolResultEvent({ callId: call.id, ok, code, text, durationMs }))
  observer.onResult({ call, ok, code, text, message: toolResultMessage(call.id, text) })
}

/** An outcome of the tool, or what is said in its place. */
type Settled =
  | { readonly text?: undefined; readonly code?: undefined; readonly value: ToolOutcome }
  | { readonly text: string; readonly code: string; readonly value?: undefined }

async function outcomeOf(setup: CycleSetup, step: number, call: PendingCall, spend: Spend): Promise<Settled> {
  const { hooks, toolbox } = setup
  const tool = toolbox.get(call.name)
  // A turn that was resumed may find another set of tools.
  if (tool === undefined) return said('unknown_tool', `there is no tool named "${call.name}"`)
  // Rules may have become stricter since the call was asked for.
  if (strictest(tool.permission, setup.permission(tool)) === 'deny')
    return said('forbidden', `the tool "${tool.name}" is not permitted`)
  let args = call.arguments
  if (hooks.has('preTool')) {
    const verdict = await hooks.execute({ event: 'preTool', call })
    if (verdict.blocked !== undefined) return said('forbidden', verdict.blocked)
    if (verdict.patch !== undefined) args = { ...args, ...verdict.patch }
  }
  const context = narrowContext(setup.call, {
    callId: call.id,
    idempotencyKey: keyOf(setup.scope, step, call.id),
  })
  const counted = tool instanceof AgentTool ? tool.spending(spend) : tool
  const outcome = await callTool(counted, args, context, setup.toolTimeoutMs, setup.clock.now)
  if (!hooks.has('postTool')) return { value: outcome }
  const verdict = await hooks.execute({ event: 'postTool', call: { ...call, arguments: args }, outcome })
  return { value: verdict.patch === undefined ? outcome : patchOutcome(outcome, verdict.patch) }
}

function said(code: ToolFailureCode | 'unknown_tool', message: string): Settled {
  return { code, text: failureText(code, message) }
}

/** A hook may put another value in place of a result. */
function patchOutcome(outcome: ToolOutcome, patch: JsonObject): ToolOutcome {
  const value = own(patch, 'value')
  if (value === undefined) return outcome
  const { arguments: args, durationMs } = outcome
  return { ok: true, value, cached: false, arguments: args ?? {}, durationMs, warnings: [] }
}

/** The same for every repetition of the same call of the same turn. */
function keyOf(scope: string, step: number, callId: string): string {
  return hash('sha256', `${scope}\n${step}\n${callId}`, 'hex').slice(0, 32)
}
