import type { FastifyReply, FastifyRequest } from 'fastify'
import type { WireApproval } from '../../agents/cycle/turn-event.js'
import { type ApprovalAnswer as Answer, parseApprovalId } from '../../agents/sessions/approvals.js'
import { ServiceError } from '../../errors.js'
import type { KeyScope } from '../../schema/keys-file.js'
import type { ApprovalBody, ApprovalParams, ApprovalsQuery } from '../../schema/session-api.js'
import type { RecordAddress, RecordKind } from '../../state/contract/record-state.js'
import type { CallContext } from '../../util/call-context.js'
import { invalidInput } from '../../util/errors/invalid-input.js'
import { stringifyJson } from '../../util/json/json.js'
import { assertScope } from '../doors/authentication.js'
import { accessOf } from '../doors/caller.js'
import { ownerOf } from '../doors/owner.js'
import { callOf } from '../requests/request-context.js'
import type { ApprovalFeed } from '../streams/approval-feed.js'
import { EVENT_STREAM_HEADERS, EventStream, formatEvent, PING_MS } from '../streams/event-stream.js'

/** Lists and resolves the approvals of sessions or of tasks. */
export interface ApprovalHandler {
  approvals(address: RecordAddress): Promise<readonly WireApproval[]>
  /** The pending approvals of all sessions or tasks of one owner. */
  pending(owner: string): Promise<readonly WireApproval[]>
  decide(owner: string, approval: string, answer: Answer, call: CallContext): Promise<WireApproval>
}

/** By what the approvals belong to. */
export type ApprovalHandlers = Readonly<Partial<Record<ApprovalKind, ApprovalHandler>>>
type ApprovalKind = Extract<RecordKind, 'session' | 'task'>

/** What listing and deciding approvals needs. */
export interface ApprovalDependencies {
  readonly handlers: ApprovalHandlers
  /** What changes, for those who follow. */
  readonly feed: ApprovalFeed
  /** A comment goes out on a stream after this long, so that proxies keep the connection. Default 15 seconds. */
  readonly pingMs?: number | undefined
}

const KINDS: readonly ApprovalKind[] = ['session', 'task']
const SCOPE_OF: Readonly<Record<ApprovalKind, KeyScope>> = { session: 'agents', task: 'tasks' }

/** Lists the approvals of a session or a task, or all that wait for the caller. @throws ServiceError `invalid_request` */
export function listApprovals({ handlers }: ApprovalDependencies) {
  return async (request: FastifyRequest<{ Querystring: ApprovalsQuery }>): Promise<object> => {
    const { session, task, status } = request.query
    if (session === undefined && task === undefined && status === 'pending')
      return pageOf(await pendingOf(handlers, ownerOf(request), kindsFor(request)))
    if ((session === undefined) === (task === undefined))
      throw invalidInput('session', 'Give either `session` or `task`, or `status=pending` alone')
    const kind = session === undefined ? 'task' : 'session'
    assertScope(request, SCOPE_OF[kind], `a ${kind}`)
    const handler = handlers[kind]
    if (handler === undefined) throw new ServiceError('task_not_found', 'No task has this id')
    const all = await handler.approvals({ kind, id: session ?? task ?? '', owner: ownerOf(request) })
    return pageOf(status === undefined ? all : all.filter((each) => each.status === status))
  }
}

/** Streams what waits for the caller: all of it, and again all of it whenever it changes. */
export function followApprovals({ handlers, feed, pingMs = PING_MS }: ApprovalDependencies) {
  return (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const [owner, kinds] = [ownerOf(request), kindsFor(request)]
    // HEAD asks what GET would say, and a stream has no end to wait for.
    if (request.method === 'HEAD') return reply.headers(EVENT_STREAM_HEADERS).send()
    const reader = new EventStream(request, reply, { pingMs, endless: true })
    const send = (items: readonly WireApproval[]) =>
      reader.write(formatEvent('pending', stringifyJson({ type: 'pending', ...pageOf(items) })))
    feed.follow(`${kinds.join(' ')} ${owner}`, () => pendingOf(handlers, owner, kinds), send, reader.signal)
    return reply
  }
}

/** Decides an approval. @throws ServiceError `approval_not_found`, `approval_conflict`, `invalid_request` */
export function decideApproval({ handlers }: ApprovalDependencies) {
  return async (
    request: FastifyRequest<{ Params: ApprovalParams; Body: ApprovalBody }>,
  ): Promise<WireApproval> => {
    const { approval } = request.params
    const answer = toAnswer(request.body)
    const { kind } = parseApprovalId(approval)
    request.logFields = { approval, decision: answer.decision }
    assertScope(request, SCOPE_OF[kind], `a ${kind}`)
    const handler = handlers[kind]
    if (handler === undefined) throw new ServiceError('approval_not_found', 'No approval has this id')
    return handler.decide(ownerOf(request), approval, answer, callOf(request))
  }
}

async function pendingOf(
  handlers: ApprovalHandlers,
  owner: string,
  kinds: readonly ApprovalKind[],
): Promise<readonly WireApproval[]> {
  const found = await Promise.all(kinds.map((kind) => handlers[kind]?.pending(owner) ?? []))
  return found.flat()
}

function pageOf(items: readonly WireApproval[]) {
  return { items, total: items.length }
}

/** What of the state the caller may see. @throws ServiceError `forbidden` for nothing of it */
function kindsFor(request: FastifyRequest): readonly ApprovalKind[] {
  const { scopes } = accessOf(request)
  const kinds = KINDS.filter((kind) => scopes.has(SCOPE_OF[kind]))
  if (kinds.length === 0) assertScope(request, SCOPE_OF.session, 'a session')
  return kinds
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
