import type { FastifyPluginAsync } from 'fastify'
import {
  ApprovalAnswerBody,
  ApprovalBody,
  ApprovalParams,
  ApprovalsAnswer,
  ApprovalsQuery,
  PendingApprovals,
} from '../../schema/session-api.js'
import { streamOf } from '../../schema/streams.js'
import { needsScopes } from '../doors/needs-scopes.js'
import {
  type ApprovalHandlers,
  decideApproval,
  followApprovals,
  listApprovals,
} from '../handlers/approvals.js'
import { operations } from '../openapi/operations.js'
import { createApprovalFeed } from '../streams/approval-feed.js'

export interface ApprovalRoutesOptions {
  readonly handlers: ApprovalHandlers
  /** A comment goes out on a stream after this long, so that proxies keep the connection. Default 15 seconds. */
  readonly pingMs?: number | undefined
}

const NOT_FOUND = ['session_not_found', 'task_not_found', 'approval_not_found'] as const
const reads = operations('approvals', 400, 401, 403, ...NOT_FOUND, 429, 500, 503)
const follows = operations('approvals', 401, 403, 429)
const writes = operations(
  'approvals',
  ...([400, 401, 403, 413, 415, 429, 500, 503] as const),
  ...NOT_FOUND,
  'approval_conflict',
)
const LIST = reads('listApprovals', 'List the approval requests of a session or task, or all pending ones', {
  description:
    'With `status=pending` alone: all pending requests of the caller, in the 1,000 most recently used sessions and 1,000 tasks.',
  querystring: ApprovalsQuery,
  response: { 200: ApprovalsAnswer },
})

const FOLLOW = follows('followApprovals', 'Follow the pending approval requests of the caller', {
  description:
    'Server-sent events: `event: pending` with all pending approval requests, at the start and whenever they change. A change is seen within two seconds.',
  response: { 200: streamOf(PendingApprovals) },
})

const DECIDE = writes(
  'decideApproval',
  'Approve a tool call, if needed with changed arguments, or reject it',
  {
    description:
      'The turn resumes when the last approval is resolved; this does not wait for it. Repeating the same decision returns 200, a different one 409.',
    params: ApprovalParams,
    body: ApprovalBody,
    response: { 200: ApprovalAnswerBody },
  },
)

/** `/api/approvals`: tool calls that wait for a person, and their decisions. */
export function approvalRoutes(options: ApprovalRoutesOptions): FastifyPluginAsync {
  const dependencies = { ...options, feed: createApprovalFeed() }
  return async (server) => {
    needsScopes(server)
    server.get('/api/approvals', LIST, listApprovals(dependencies))
    server.get('/api/approvals/events', FOLLOW, followApprovals(dependencies))
    server.post('/api/approvals/:approval', DECIDE, decideApproval(dependencies))
  }
}
