import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import type { WireApproval } from '../../agents/cycle/turn-event.js'
import { type ApprovalAnswer as Answer, parseApprovalId } from '../../agents/sessions/approvals.js'
import { ServiceError } from '../../errors.js'
import type { Scope } from '../../schema/keys-file.js'
import {
  ApprovalAnswer,
  ApprovalBody,
  ApprovalParams,
  ApprovalsAnswer,
  ApprovalsQuery,
} from '../../schema/session-api.js'
import type { RecordAddress, RecordKind } from '../../state/state-store.js'
import type { CallContext } from '../../util/call-context.js'
import { invalidInput } from '../../util/invalid-input.js'
import { assertScope } from '../authentication.js'
import { accessOf } from '../caller.js'
import { needsScopes } from '../needs-scopes.js'
import { operations } from '../operations.js'
import { ownerOf } from '../owner.js'
import { callOf } from '../request-context.js'

/** Whoever has questions for people: sessions, tasks. */
export interface ApprovalDesk {
  approvals(address: RecordAddress): Promise<readonly WireApproval[]>
  /** Of all sessions or tasks of one owner: the questions without an answer. */
  pending(owner: string): Promise<readonly WireApproval[]>
  decide(owner: string, approval: string, answer: Answer, call: CallContext): Promise<WireApproval>
}

/** By whose questions they answer. */
export type ApprovalDesks = Readonly<Partial<Record<RecordKind, ApprovalDesk>>>

const NOT_FOUND = ['session_not_found', 'task_not_found', 'approval_not_found'] as const
const reads = operations('approvals', 400, 401, 403, ...NOT_FOUND, 429, 500, 503)
const writes = operations(
  'approvals',
  ...([400, 401, 403, 413, 415, 429, 500, 503] as const),
  ...NOT_FOUND,
  'approval_conflict',
)
const KINDS: readonly RecordKind[] = ['session', 'task']
const SCOPE_OF: Readonly<Record<RecordKind, Scope>> = { session: 'agents', task: 'tasks' }

/** `/api/approvals`: questions that tools put to a person, and the answers. */
export function approvalRoutes({ desks }: { readonly desks: ApprovalDesks }): FastifyPluginAsync {
  async function listApprovals(request: FastifyRequest<{ Querystring: ApprovalsQuery }>): Promise<object> {
    const { session, task, status } = request.query
    if (session === undefined && task === undefined && status === 'pending') return listInbox(request)
    if ((session === undefined) === (task === undefined))
      throw invalidInput('session', 'Give either `session` or `task`, or `status=pending` alone')
    const kind = session === undefined ? 'task' : 'session'
    assertScope(request, SCOPE_OF[kind], `a ${kind}`)
    const desk = desks[kind]
    if (desk === undefined) throw new ServiceError('task_not_found', 'No task has this id')
    const all = await desk.approvals({ kind, id: session ?? task ?? '', owner: ownerOf(request) })
    const items = status === undefined ? all : all.filter((each) => each.status === status)
    return { items, total: items.length }
  }

  /** Everything that waits for the caller, of what its key may see. */
  async function listInbox(request: FastifyRequest): Promise<object> {
    const { scopes } = accessOf(request)
    const kinds = KINDS.filter((kind) => scopes.has(SCOPE_OF[kind]))
    if (kinds.length === 0) assertScope(request, SCOPE_OF.session, 'a session')
    const owner = ownerOf(request)
    const found = await Promise.all(kinds.map((kind) => desks[kind]?.pending(owner) ?? []))
    const items = found.flat()
    return { items, total: items.length }
  }

  async function decideApproval(
    request: FastifyRequest<{ Params: ApprovalParams; Body: ApprovalBody }>,
  ): Promise<WireApproval> {
    const { approval } = request.params
    const answer = toAnswer(request.body)
    const { kind } = parseApprovalId(approval)
    request.logFields = { approval, decision: answer.decision }
    assertScope(request, SCOPE_OF[kind], `a ${kind}`)
    const desk = desks[kind]
    if (desk === undefined) throw new ServiceError('approval_not_found', 'No approval has this id')
    return desk.decide(ownerOf(request), approval, answer, callOf(request))
  }

  return async (server) => {
    needsScopes(server)
    server.get(
      '/api/approvals',
      reads('listApprovals', 'List the approval requests of a session or task, or all that wait', {
        description:
          'With `status=pending` alone: what waits for the caller, in the 1,000 sessions and 1,000 tasks used last.',
        querystring: ApprovalsQuery,
        response: { 200: ApprovalsAnswer },
      }),
      listApprovals,
    )
    server.post(
      '/api/approvals/:approval',
      writes('decideApproval', 'Approve a tool call, with other arguments perhaps, or reject it', {
        description:
          'The turn resumes when the last approval is resolved; this does not wait for it. Repeating the same decision returns 200, a different one 409.',
        params: ApprovalParams,
        body: ApprovalBody,
        response: { 200: ApprovalAnswer },
      }),
      decideApproval,
    )
  }
}

/** @throws ServiceError `invalid_request` for arguments without an edit, or the reverse */
function toAnswer({ decision, arguments: args, reason }: ApprovalBody): Answer {
  if ((decision === 'edit') !== (args !== undefined))
    throw invalidInput(
      'arguments',
      '`arguments` is required with the decision "edit" and not allowed otherwise',
    )
  return {
    decision,
    ...(args !== undefined && { arguments: args }),
    ...(reason !== undefined && { reason }),
  }
}
