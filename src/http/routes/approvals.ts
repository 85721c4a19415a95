import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import type { WireApproval } from '../../agents/cycle/turn-event.js'
import { type ApprovalAnswer as Answer, parseApprovalId } from '../../agents/sessions/approvals.js'
import { ServiceError } from '../../errors.js'
import type { KeyScope } from '../../schema/keys-file.js'
import {
  ApprovalAnswerBody,
  ApprovalBody,
  ApprovalParams,
  ApprovalsAnswer,
  ApprovalsQuery,
  PendingApprovals,
} from '../../schema/session-api.js'
import { streamOf } from '../../schema/streams.js'
import type { RecordAddress, RecordKind } from '../../state/contract/record-state.js'
import type { CallContext } from '../../util/call-context.js'
import { invalidInput } from '../../util/errors/invalid-input.js'
import { stringifyJson } from '../../util/json/json.js'
import { assertScope } from '../doors/authentication.js'
import { accessOf } from '../doors/caller.js'
import { needsScopes } from '../doors/needs-scopes.js'
import { ownerOf } from '../doors/owner.js'
import { operations } from '../openapi/operations.js'
import { callOf } from '../requests/request-context.js'
import { createApprovalFeed } from '../streams/approval-feed.js'
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

const NOT_FOUND = ['session_not_found', 'task_not_found', 'approval_not_found'] as const
const reads = operations('approvals', 400, 401, 403, ...NOT_FOUND, 429, 500, 503)
const follows = operations('approvals', 401, 403, 429)
const writes = operations(
  'approvals',
  ...([400, 401, 403, 413, 415, 429, 500, 503] as const),
  ...NOT_FOUND,
  'approval_conflict',
)
const KINDS: readonly ApprovalKind[] = ['session', 'task']
const SCOPE_OF: Readonly<Record<ApprovalKind, KeyScope>> = { session: 'agents', task: 'tasks' }

export interface ApprovalRoutesOptions {
  readonly handlers: ApprovalHandlers
  /** A comment goes out on a stream after this long, so that proxies keep the connection. Default 15 seconds. */
  readonly pingMs?: number | undefined
}

/** `/api/approvals`: tool calls that wait for a person, and their decisions. */
export function approvalRoutes({ handlers, pingMs = PING_MS }: ApprovalRoutesOptions): FastifyPluginAsync {
  const feed = createApprovalFeed()

  async function listApprovals(request: FastifyRequest<{ Querystring: ApprovalsQuery }>): Promise<object> {
    const { session, task, status } = request.query
    if (session === undefined && task === undefined && status === 'pending') return listInbox(request)
    if ((session === undefined) === (task === undefined))
      throw invalidInput('session', 'Give either `session` or `task`, or `status=pending` alone')
    const kind = session === undefined ? 'task' : 'session'
    assertScope(request, SCOPE_OF[kind], `a ${kind}`)
    const handler = handlers[kind]
    if (handler === undefined) throw new ServiceError('task_not_found', 'No task has this id')
    const all = await handler.approvals({ kind, id: session ?? task ?? '', owner: ownerOf(request) })
    const items = status === undefined ? all : all.filter((each) => each.status === status)
    return { items, total: items.length }
  }

  /** Everything that waits for the caller, of what its key may see. */
  async function listInbox(request: FastifyRequest): Promise<object> {
    const items = await pendingOf(ownerOf(request), kindsFor(request))
    return { items, total: items.length }
  }

  async function pendingOf(owner: string, kinds: readonly ApprovalKind[]): Promise<readonly WireApproval[]> {
    const found = await Promise.all(kinds.map((kind) => handlers[kind]?.pending(owner) ?? []))
    return found.flat()
  }

  /** Streams what waits for the caller: all of it, and again all of it whenever it changes. */
  function followApprovals(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const [owner, kinds] = [ownerOf(request), kindsFor(request)]
    // HEAD asks what GET would say, and a stream has no end to wait for.
    if (request.method === 'HEAD') return reply.headers(EVENT_STREAM_HEADERS).send()
    const reader = new EventStream(request, reply, { pingMs, endless: true })
    const send = (items: readonly WireApproval[]) =>
      reader.write(formatEvent('pending', stringifyJson({ type: 'pending', items, total: items.length })))
    feed.follow(`${kinds.join(' ')} ${owner}`, () => pendingOf(owner, kinds), send, reader.signal)
    return reply
  }

  async function decideApproval(
    request: FastifyRequest<{ Params: ApprovalParams; Body: ApprovalBody }>,
  ): Promise<WireApproval> {
    const { approval } = request.params
    const answer = toAnswer(request.body)
    const { kind } = parseApprovalId(approval)
    request.logFields = { approval, decision: answer.decision }
    assertScope(request, SCOPE_OF[kind], `a ${kind}`)
    const handler = handlers[kind]
    if (handler === undefined) throw new ServiceError('approval_not_found', 'No approval has this id')
    return handler.decide(ownerOf(request), approval, answer, callOf(request))
  }

  return async (server) => {
    needsScopes(server)
    server.get(
      '/api/approvals',
      reads('listApprovals', 'List the approval requests of a session or task, or all pending ones', {
        description:
          'With `status=pending` alone: all pending requests of the caller, in the 1,000 most recently used sessions and 1,000 tasks.',
        querystring: ApprovalsQuery,
        response: { 200: ApprovalsAnswer },
      }),
      listApprovals,
    )
    server.get(
      '/api/approvals/events',
      follows('followApprovals', 'Follow the pending approval requests of the caller', {
        description:
          'Server-sent events: `event: pending` with all pending approval requests, at the start and whenever they change. A change is seen within two seconds.',
        response: { 200: streamOf(PendingApprovals) },
      }),
      followApprovals,
    )
    server.post(
      '/api/approvals/:approval',
      writes('decideApproval', 'Approve a tool call, if needed with changed arguments, or reject it', {
        description:
          'The turn resumes when the last approval is resolved; this does not wait for it. Repeating the same decision returns 200, a different one 409.',
        params: ApprovalParams,
        body: ApprovalBody,
        response: { 200: ApprovalAnswerBody },
      }),
      decideApproval,
    )
  }
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
