import { ServiceError } from '../../errors.js'
import type { ReadonlyStatic } from '../../schema/readonly-static.js'
import type { ApprovalBody } from '../../schema/session-api.js'
import type { ApprovalDecision, ApprovalView } from '../../state/contract/approval-state.js'
import type { RecordKind } from '../../state/contract/record-state.js'
import { shownId } from '../../state/record-name.js'
import { argumentProblem } from '../../tools/prepare-arguments.js'
import type { Toolbox } from '../../tools/toolbox.js'
import { invalidInput } from '../../util/errors/invalid-input.js'
import { isJsonObject, type JsonObject, own } from '../../util/json/json.js'
import type { CallDecision, PendingCall } from '../cycle/cycle-state.js'
import type { WireApproval } from '../cycle/turn-event.js'

/** Whose approval an id names. */
export interface ApprovalOwner {
  readonly kind: Extract<RecordKind, 'session' | 'task'>
  /** Of the session or task. */
  readonly id: string
  readonly turn: number
}

/** What a person says to a call. */
export type ApprovalAnswer = ReadonlyStatic<typeof ApprovalBody>

/** Responses have ids of their own for what they ask. */
const LETTERS: Readonly<Record<ApprovalOwner['kind'], 's' | 't'>> = { session: 's', task: 't' }
const ID = /^([st])-(\d{1,9})-(\d{1,9})-([A-Za-z0-9._-]{1,100})$/

/** `<s|t>-<turn>-<call index>-<session or task>`: says whose it is. */
export function approvalId({ kind, turn, id }: ApprovalOwner, callIndex: number): string {
  return `${LETTERS[kind]}-${turn}-${callIndex}-${shownId({ kind, id })}`
}

/** @throws ServiceError `approval_not_found` for an id that names no owner */
export function parseApprovalId(id: string): ApprovalOwner {
  const [, letter, turn = '', , owner = ''] = ID.exec(id) ?? []
  if (letter === undefined) throw new ServiceError('approval_not_found', 'No approval has this id')
  return { kind: letter === 's' ? 'session' : 'task', id: owner, turn: Number(turn) }
}

/** The question that a call which needs approval puts. */
export function newApproval(owner: ApprovalOwner, call: PendingCall): ApprovalView {
  const { id, name, arguments: args, index } = call
  return {
    id: approvalId(owner, index),
    status: 'pending',
    data: { turn: owner.turn, call_id: id, tool: name, arguments: args },
  }
}

/** An approval as bodies and events show it: with the arguments that count. */
export function toWireApproval(
  { kind, id: owner }: Pick<ApprovalOwner, 'kind' | 'id'>,
  { id, status, data, decision = {} }: ApprovalView,
): WireApproval {
  const edited = own(decision, 'arguments')
  const asked = own(data, 'arguments')
  const reason = own(decision, 'reason')
  return {
    id,
    ...(kind === 'session' ? { session: shownId({ kind, id: owner }) } : { task: owner }),
    turn: Number(own(data, 'turn')),
    call_id: String(own(data, 'call_id')),
    tool: String(own(data, 'tool')),
    arguments: isJsonObject(edited) ? edited : isJsonObject(asked) ? asked : {},
    status,
    ...(typeof reason === 'string' && { reason }),
  }
}

/** The questions of one turn. */
export function ofTurn(approvals: readonly ApprovalView[], turn: number): readonly ApprovalView[] {
  return approvals.filter(({ data }) => own(data, 'turn') === turn)
}

/** What was decided in one turn, by call id. */
export function decisionsOf(
  approvals: readonly ApprovalView[],
  turn: number,
): ReadonlyMap<string, CallDecision> {
  return decidedBy(ofTurn(approvals, turn), ({ data }) => String(own(data, 'call_id')))
}

/** What was decided, by the approval's own id. */
export function decisionsByApproval(approvals: readonly ApprovalView[]): ReadonlyMap<string, CallDecision> {
  return decidedBy(approvals, ({ id }) => id)
}

function decidedBy(
  approvals: readonly ApprovalView[],
  nameOf: (approval: ApprovalView) => string,
): ReadonlyMap<string, CallDecision> {
  return new Map(
    approvals.flatMap((approval) => {
      const { status, decision = {} } = approval
      if (status === 'approved') return [[nameOf(approval), approved(decision)] as const]
      return status === 'rejected' ? [[nameOf(approval), rejected(decision)] as const] : []
    }),
  )
}

/** An answer as state keeps it: equal answers are equal objects. */
export function toDecision({ decision, arguments: args, reason }: ApprovalAnswer): ApprovalDecision {
  return {
    status: decision === 'reject' ? 'rejected' : 'approved',
    decision: {
      decision,
      ...(args !== undefined && { arguments: args }),
      ...(reason !== undefined && { reason }),
    },
  }
}

/** @throws ServiceError `invalid_request` for arguments that the tool does not take; nothing is coerced */
export function assertEdit(toolbox: Toolbox, { tool: name }: WireApproval, args: JsonObject): void {
  const tool = toolbox.get(name)
  if (tool === undefined)
    throw invalidInput('arguments', `The tool "${name}" no longer exists: reject the call`)
  const problem = argumentProblem(tool, args)
  if (problem !== undefined) throw invalidInput('arguments', problem)
}

function approved(decision: JsonObject): CallDecision {
  const args = own(decision, 'arguments')
  return { kind: 'approved', ...(isJsonObject(args) && { arguments: args }) }
}

function rejected(decision: JsonObject): CallDecision {
  const reason = own(decision, 'reason')
  return { kind: 'rejected', ...(typeof reason === 'string' && { reason }) }
}
