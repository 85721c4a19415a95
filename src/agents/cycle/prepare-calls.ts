import type { Message } from '../../conversation/message.js'
import { type ToolCall, toolResultMessage } from '../../conversation/tool-calls.js'
import type { FinishReason } from '../../llm/chat/read-completion.js'
import { resolveTool } from '../../protocols/resolve-tool.js'
import { type LoadedJson, safeJsonLoads } from '../../protocols/safe-json-loads.js'
import { argumentProblem } from '../../tools/prepare-arguments.js'
import {
  isRepeatable,
  type Permission,
  type Tool,
  type Toolbox,
  takesAnyArguments,
} from '../../tools/toolbox.js'
import { didYouMean, nearNames } from '../../util/errors/near-names.js'
import { isJsonObject, type JsonObject, type JsonValue, own, parseObject } from '../../util/json/json.js'
import { SLICES } from '../../util/slices/budgets.js'
import { createSlicer } from '../../util/slices/pause.js'
import { ArgumentBounds, SHORT_ARGUMENTS } from '../tools/argument-bounds.js'
import { strictest } from '../tools/permission.js'
import type { CycleSetup } from './cycle-setup.js'
import type { PendingCall } from './cycle-state.js'
import { failureText, toolResultEvent } from './tool-result.js'
import type { TurnEvent } from './turn-event.js'

/** A call as a model wrote it: arguments are text. */
export interface WrittenCall {
  readonly id: string
  readonly name: string
  readonly server?: string
  readonly arguments: string
}

/** A call that is understood and may run, or what its result says because it does not. */
export type CheckedCall =
  | { readonly kind: 'ready'; readonly call: ToolCall; readonly tool: Tool; readonly permission: Permission }
  | { readonly kind: 'refused'; readonly call: ToolCall; readonly code: string; readonly result: string }

/** Of a turn's setup: what calls are held against. */
export type CallRules = Pick<CycleSetup, 'toolbox' | 'protocol' | 'permission' | 'limits'>

/** A message's calls, and whether the last one was cut off however often it was asked for. */
export interface WrittenCalls {
  readonly calls: readonly WrittenCall[]
  readonly finishReason: FinishReason | undefined
}

/** What is not looked at. */
const REFUSED: LoadedJson = { ok: false, error: 'Failed to parse arguments', raw: '' }
/** Too short to be nested too deeply, in characters. */
const MAX_PLAIN = 2_000

/**
 * Parses, names, repairs, validates and permits every call of a message, before any of them runs. Others are let in
 * between several calls; most messages have one, which is prepared at once.
 */
export function prepareCalls(
  { calls, finishReason }: WrittenCalls,
  given: CallRules,
): readonly CheckedCall[] | Promise<readonly CheckedCall[]> {
  const rules: MessageRules = { ...given, toolOf: rememberTools(given), bounds: boundsOf(calls) }
  const prepare = (call: WrittenCall, index: number) =>
    finishReason === 'length' && index === calls.length - 1
      ? refused(callOf(call, {}, false), 'not_executed', 'the call was cut off; write less at once')
      : prepareCall(call, index, rules)
  return calls.length > 1 ? inSlices(calls, prepare) : calls.map(prepare)
}

async function inSlices(
  calls: readonly WrittenCall[],
  prepare: (call: WrittenCall, index: number) => CheckedCall,
): Promise<readonly CheckedCall[]> {
  const slicer = createSlicer(SLICES.part.ms)
  const prepared: CheckedCall[] = []
  for (const [index, call] of calls.entries()) {
    prepared.push(prepare(call, index))
    const turn = slicer.turn()
    if (turn !== undefined) await turn
  }
  return prepared
}

/** What a message's arguments are counted by; undefined for one of a few words, which cannot be too much. */
function boundsOf(calls: readonly WrittenCall[]): ArgumentBounds | undefined {
  const characters = calls.reduce((sum, call) => sum + call.arguments.length, 0)
  return characters > SHORT_ARGUMENTS ? new ArgumentBounds() : undefined
}

/** These, which tool a call means, and what all calls of the message may come to. */
type MessageRules = CallRules & {
  readonly toolOf: (written: WrittenCall) => Tool | undefined
  readonly bounds: ArgumentBounds | undefined
}

function prepareCall(written: WrittenCall, index: number, rules: MessageRules): CheckedCall {
  const { maxCallsPerTurn } = rules.limits
  if (index >= maxCallsPerTurn) {
    const call = { ...callOf(written, plainArguments(written.arguments), false), ...nameOf(written, rules) }
    return refused(call, 'not_executed', `only ${maxCallsPerTurn} calls of one message are executed`)
  }
  const tooMuch = rules.bounds?.problemOf(written.arguments)
  const read = tooMuch === undefined ? safeJsonLoads(written.arguments) : REFUSED
  const call = callOf(written, read.ok ? read.value : {}, read.ok && read.repaired === true)
  const tool = rules.toolOf(written)
  if (tool === undefined) return refused(call, 'unknown_tool', unknownTool(written.name, rules.toolbox))
  const named = { ...call, name: tool.name }
  if (tooMuch !== undefined) return refused(named, 'invalid_arguments', tooMuch)
  if (!read.ok) return refused(named, 'invalid_arguments', `${read.error}: they must be one JSON object`)
  const args = withoutAbsent(read.value, tool.parameters)
  const problem = takesAnyArguments(tool) ? undefined : argumentProblem(tool, args)
  if (problem !== undefined) return refused({ ...named, arguments: {} }, 'invalid_arguments', problem)
  const permission = strictest(tool.permission, rules.permission(tool))
  if (permission === 'deny') return refused(named, 'forbidden', `the tool "${tool.name}" is not permitted`)
  return { kind: 'ready', call: { ...named, arguments: args }, tool, permission }
}

/**
 * The arguments of a call that is not executed. Only short ones are parsed: a message may have thousands, and nobody
 * repairs them.
 */
function plainArguments(text: string): JsonObject {
  return (text.length > MAX_PLAIN ? undefined : parseObject(text)) ?? {}
}

function nameOf(written: WrittenCall, rules: MessageRules): { readonly name?: string } {
  const tool = rules.toolOf(written)
  return tool === undefined ? {} : { name: tool.name }
}

/** Native calls name a function; calls in text may name a server and a tool, which are looked for once. */
function rememberTools({ toolbox, protocol }: CallRules): MessageRules['toolOf'] {
  if (protocol === undefined) return ({ name }) => toolbox.get(name)
  const known = new Map<string, Tool | undefined>()
  return (written) => {
    const key = JSON.stringify([written.server, written.name])
    if (!known.has(key)) known.set(key, resolveTool(written, toolbox.list()))
    return known.get(key)
  }
}

function callOf({ id, name, server }: WrittenCall, args: JsonObject, repaired: boolean): ToolCall {
  // Written out where it can be: an object of several is one that V8 puts together name by name.
  const call = server === undefined ? { id, name, arguments: args } : { id, name, server, arguments: args }
  return repaired ? { ...call, repaired: true } : call
}

function refused(call: ToolCall, code: string, message: string): CheckedCall {
  return { kind: 'refused', call, code, result: failureText(code, message) }
}

function unknownTool(name: string, toolbox: Toolbox): string {
  const names = toolbox.list().map((tool) => tool.name)
  return `there is no tool named "${name}"${didYouMean(nearNames(name, names))}`
}

/** Models write null for what they leave out: an optional property that may not be null is absent then. */
function withoutAbsent(args: JsonObject, parameters: JsonObject): JsonObject {
  const properties = own(parameters, 'properties')
  const required = own(parameters, 'required')
  if (!isJsonObject(properties)) return args
  const isAbsent = (name: string, value: JsonValue) =>
    value === null &&
    Object.hasOwn(properties, name) &&
    !(Array.isArray(required) && required.includes(name)) &&
    !takesNull(own(properties, name))
  const entries = Object.entries(args)
  if (!entries.some(([name, value]) => isAbsent(name, value))) return args
  return Object.fromEntries(entries.filter(([name, value]) => !isAbsent(name, value)))
}

function takesNull(schema: JsonValue | undefined): boolean {
  if (!isJsonObject(schema)) return true
  if (own(schema, 'nullable') === true) return true
  const type = own(schema, 'type')
  if (type !== undefined) return type === 'null' || (Array.isArray(type) && type.includes('null'))
  const allowed = own(schema, 'enum')
  if (Array.isArray(allowed)) return allowed.includes(null)
  const branches = own(schema, 'anyOf') ?? own(schema, 'oneOf')
  return Array.isArray(branches) ? branches.some(takesNull) : true
}

/** Calls that may run or need approval; all others are left out. `index` counts the calls of the turn. */
export function toPending(prepared: CheckedCall, index: number): readonly PendingCall[] {
  if (prepared.kind === 'refused') return []
  const { call, tool, permission } = prepared
  const pending: PendingCall = { ...call, index }
  const asks = permission === 'ask'
  if (isRepeatable(tool)) return [{ ...pending, ...(asks && { ask: true }), repeatable: true }]
  return [asks ? { ...pending, ask: true } : pending]
}

/** The results of calls that do not run. */
export function toRefusal(prepared: CheckedCall): readonly Message[] {
  return prepared.kind === 'refused' ? [toolResultMessage(prepared.call.id, prepared.result)] : []
}

/** The event for readers about a call that does not run. */
export function refusedEvent({ call, code, result }: Extract<CheckedCall, { kind: 'refused' }>): TurnEvent {
  return toolResultEvent({ callId: call.id, ok: false, code, text: result })
}
