import { hash } from 'node:crypto'
import type { ReportUsage } from '../agents/tools/agent-tool.js'
import { callForModel } from '../agents/tools/call-for-model.js'
import { compileSchema, describeVerdict } from '../schema/json-schema.js'
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
  const problem = argumentProblem(tool, args)
  if (problem !== undefined) return refusedOutcome({ code: 'invalid_arguments', message: problem })
  const { hooks, call, toolTimeoutMs, clock, agent } = setup
  const id = keyOf(setup.task, place, args)
  const rules = { hooks, permission: agent.permission, spend, call, toolTimeoutMs, clock }
  return callForModel(rules, tool, { id, name: tool.name, arguments: args, idempotencyKey: id })
}

/** What is wrong with the arguments of a tool, if anything. */
function argumentProblem(tool: Tool, args: JsonObject): string | undefined {
  const verdict = compileSchema(tool.parameters)(args)
  return verdict.problems.length === 0 ? undefined : describeVerdict(verdict, 'parameters')
}

function keyOf(task: string, place: string, args: JsonObject): string {
  return hash('sha256', `${task}\n${place}\n${canonicalJson(args)}`).slice(0, 32)
}
