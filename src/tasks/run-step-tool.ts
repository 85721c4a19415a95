import { hash } from 'node:crypto'
import { compileSchema, describeVerdict } from '../schema/json-schema.js'
import { callTool } from '../tools/call-tool.js'
import type { ToolOutcome } from '../tools/tool.js'
import type { ToolFailureCode } from '../tools/tool-failure.js'
import type { Tool } from '../tools/toolbox.js'
import { narrowContext } from '../util/call-context.js'
import { canonicalJson } from '../util/canonical-json.js'
import type { JsonObject } from '../util/json.js'
import type { TaskSetup } from './task-setup.js'

/** Calls the tool of a step once; the same arguments have the same idempotency key, also after a crash. */
export async function callStepTool(
  setup: TaskSetup,
  tool: Tool,
  place: string,
  args: JsonObject,
): Promise<ToolOutcome> {
  const problem = argumentProblem(tool, args)
  if (problem !== undefined) return refusedOutcome('invalid_arguments', problem)
  const { hooks, call, toolTimeoutMs, clock } = setup
  const id = keyOf(setup.task, place, args)
  const verdict = await hooks.execute({ event: 'preTool', call: { id, name: tool.name, arguments: args } })
  if (verdict.blocked !== undefined) return refusedOutcome('forbidden', verdict.blocked)
  const given = verdict.patch === undefined ? args : { ...args, ...verdict.patch }
  const context = narrowContext(call, { callId: id, idempotencyKey: id })
  const outcome = await callTool(tool, given, context, toolTimeoutMs, clock.now)
  await hooks.execute({ event: 'postTool', call: { id, name: tool.name, arguments: given }, outcome })
  return outcome
}

/** What is wrong with the arguments of a tool, if anything. */
function argumentProblem(tool: Tool, args: JsonObject): string | undefined {
  const verdict = compileSchema(tool.parameters)(args)
  return verdict.problems.length === 0 ? undefined : describeVerdict(verdict, 'parameters')
}

/** The outcome of a call that was not made. */
export function refusedOutcome(code: ToolFailureCode, message: string): ToolOutcome {
  return { ok: false, code, message, substituted: '', arguments: undefined, durationMs: 0 }
}

function keyOf(task: string, place: string, args: JsonObject): string {
  return hash('sha256', `${task}\n${place}\n${canonicalJson(args)}`).slice(0, 32)
}
