import { hash } from 'node:crypto'
import type { ReportUsage } from '../agents/tools/agent-tool.js'
import { callForModel } from '../agents/tools/call-for-model.js'
import { argumentProblem } from '../tools/prepare-arguments.js'
import { refusedOutcome, type ToolOutcome } from '../tools/tool.js'
import type { Tool } from '../tools/toolbox.js'
import { canonicalJson } from '../util/json/canonical-json.js'
import type { JsonObject } from '../util/json/json.js'
import type { TaskSetup } from './task-setup.js'

/** Calls the tool of a step once; the same arguments have the same idempotency key, also after a crash. */
export async function callStepTool(
  setup: TaskSetup,
  tool: Tool,
  place: string,
  args: JsonObject,
  spend: ReportUsage,
): Promise<ToolOutcome> {
  const problem = argumentProblem(tool, args, 'parameters')
  if (problem !== undefined) return refusedOutcome({ code: 'invalid_arguments', message: problem })
  const { hooks, call, toolTimeoutMs, clock, agent } = setup
  const id = keyOf(setup.task, place, args)
  const rules = { hooks, permission: agent.permission, spend, call, toolTimeoutMs, clock }
  return callForModel(rules, tool, { id, name: tool.name, arguments: args, idempotencyKey: id })
}

function keyOf(task: string, place: string, args: JsonObject): string {
  return hash('sha256', `${task}\n${place}\n${canonicalJson(args)}`).slice(0, 32)
}
