import { hash } from 'node:crypto'
import { toolResultMessage } from '../../conversation/tool-calls.js'
import type { ToolOutcome } from '../../tools/tool.js'
import type { ReportUsage } from '../tools/agent-tool.js'
import { callForModel } from '../tools/call-for-model.js'
import type { CycleSetup } from './cycle-setup.js'
import type { PendingCall, ToolCallResult } from './cycle-state.js'
import { failureText, resultText, toolResultEvent } from './tool-result.js'

/** Observes the results of calls. */
export interface CallObserver {
  /** Called before calls run; a returned promise is awaited. */
  onBegin(calls: readonly PendingCall[]): Promise<void> | undefined
  onResult(result: ToolCallResult): void
  /** Of models that a tool has asked. */
  onUsage: ReportUsage
}

/**
 * Runs calls, in parallel or in sequence, and reports each as it ends. Every call gets exactly one result, whatever
 * happens to it or to its siblings.
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
  const { ok, code, said } = read(await outcomeOf(setup, step, call, observer.onUsage), call)
  const text = typeof said === 'string' ? said : await said
  const durationMs = Math.round(setup.clock.now() - startedAt)
  setup.emit(toolResultEvent({ callId: call.id, ok, code, text, durationMs }))
  observer.onResult({ call, ok, code, text, message: toolResultMessage(call.id, text) })
}

function read(
  outcome: ToolOutcome | 'unknown_tool',
  { name }: PendingCall,
): Pick<ToolCallResult, 'ok' | 'code'> & { readonly said: string | Promise<string> } {
  if (outcome === 'unknown_tool')
    return { ok: false, code: outcome, said: failureText(outcome, `there is no tool named "${name}"`) }
  return { ok: outcome.ok, code: outcome.ok ? undefined : outcome.code, said: resultText(outcome) }
}

function outcomeOf(
  setup: CycleSetup,
  step: number,
  { id, name, arguments: args }: PendingCall,
  spend: ReportUsage,
): Promise<ToolOutcome> | 'unknown_tool' {
  const tool = setup.toolbox.get(name)
  // A turn that was resumed may find another set of tools.
  if (tool === undefined) return 'unknown_tool'
  const idempotencyKey = keyOf(setup.scope, step, id)
  const { hooks, permission, call, toolTimeoutMs, clock } = setup
  const rules = { hooks, permission, spend, call, toolTimeoutMs, clock }
  return callForModel(rules, tool, { id, name, arguments: args, idempotencyKey })
}

/** The idempotency key of a call: equal for every repetition of that call of that turn. */
function keyOf(scope: string, step: number, callId: string): string {
  return hash('sha256', `${scope}\n${step}\n${callId}`, 'hex').slice(0, 32)
}
