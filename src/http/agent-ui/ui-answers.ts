import type { ApprovalAnswer } from '../../agents/sessions/approvals.js'
import type { AgUiBody, UiChatBody } from '../../schema/agent-ui-api.js'
import { invalidField } from '../../util/errors/invalid-input.js'
import { isJsonObject, type JsonObject, own } from '../../util/json/json.js'
import { objectField, textField } from '../../util/json/json-fields.js'

/** What a person said to one question, in the chat that put it. */
export interface UiAnswer {
  /** The question's id. */
  readonly approval: string
  readonly answer: ApprovalAnswer
}

/** What the newest message of a Vercel UI chat answers: the parts that `addToolApprovalResponse` has changed. */
export function uiAnswers({ messages }: UiChatBody): readonly UiAnswer[] {
  const last = messages.at(-1)
  return last?.role === 'assistant' ? last.parts.flatMap((part) => answeredPart(part)) : []
}

/** What the `resume` of an AG-UI run answers. @throws ServiceError `invalid_request` */
export function agUiAnswers({ resume = [] }: AgUiBody): readonly UiAnswer[] {
  return resume.map(({ interruptId, status, payload }, index) => ({
    approval: interruptId,
    answer: status === 'cancelled' ? { decision: 'reject' } : resolved(payload, index),
  }))
}

function answeredPart(part: JsonObject): readonly UiAnswer[] {
  if (own(part, 'state') !== 'approval-responded') return []
  const approval = objectField(part, 'approval')
  const id = textField(approval, 'id')
  const approved = own(approval, 'approved')
  if (id === undefined || typeof approved !== 'boolean') return []
  return [{ approval: id, answer: approved ? { decision: 'approve' } : rejection(approval) }]
}

function resolved(payload: unknown, index: number): ApprovalAnswer {
  const answer = isJsonObject(payload) ? payload : {}
  const approved = own(answer, 'approved')
  if (typeof approved !== 'boolean')
    throw invalidField(`resume.${index}.payload`, 'says whether it is `approved`')
  if (!approved) return rejection(answer)
  const args = own(answer, 'arguments')
  return isJsonObject(args) ? { decision: 'edit', arguments: args } : { decision: 'approve' }
}

function rejection(answer: JsonObject): ApprovalAnswer {
  const reason = textField(answer, 'reason')
  return { decision: 'reject', ...(reason !== undefined && { reason }) }
}
