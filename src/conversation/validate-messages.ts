import { ServiceError } from '../errors.js'
import { isRole, ROLES } from '../schema/role.js'
import { isJsonObject, type JsonObject, type JsonValue, own } from '../util/json/json.js'
import type { Message } from './message.js'

/** Which rule of a conversation a message breaks. */
export type SequenceRule =
  | 'empty'
  | 'message'
  | 'role'
  | 'repeated_role'
  | 'tool_calls'
  | 'orphan_tool'
  | 'tool_call_id'
  | 'answered_twice'
  | 'unanswered'

/** One broken rule, as data for a 400 answer or a lint report. */
export type SequenceViolation = {
  /** The message's place in the list, from 0; null when the list as a whole is meant. */
  readonly index: number | null
  readonly rule: SequenceRule
  readonly reason: string
}

export interface ValidateMessagesOptions {
  /** Two user or two assistant messages in a row are accepted, as some providers do. Default false. */
  readonly allowRepeatedRoles?: boolean
  /** The last message may be an assistant's whose calls nobody has answered yet, or not all. Default false. */
  readonly allowPending?: boolean
}

/** Instructions may come in several messages; tool results are counted by their group. */
const REPEATABLE = new Set<unknown>(['system', 'developer', 'tool'])

const NO_VIOLATIONS: readonly SequenceViolation[] = []

/** The details have them all; the message is for reading. */
const MAX_SUMMARISED = 5

/** The calls of the latest assistant message and which of them still wait for a result. */
interface CallGroup {
  readonly index: number
  readonly ids: ReadonlySet<string>
  readonly open: Set<string>
}

/**
 * Checks that messages are a conversation which providers accept: not empty; known roles; no two
 * consecutive messages of one role (system and developer may repeat); tool results directly after the
 * assistant message whose calls they answer, each call answered exactly once before anything else follows.
 *
 * @throws ServiceError `invalid_sequence` whose `details` list every violation
 */
export function assertConversation(
  messages: readonly unknown[],
  options: ValidateMessagesOptions = {},
): asserts messages is readonly Message[] {
  const violations = findSequenceViolations(messages, options)
  if (violations.length === 0) return
  throw new ServiceError('invalid_sequence', `invalid message sequence: ${summarise(violations)}`, {
    param: 'messages',
    details: violations,
  })
}

/** Every violation of the rules of {@link assertConversation}, in the order of the messages. */
export function findSequenceViolations(
  messages: readonly unknown[],
  options: ValidateMessagesOptions = {},
): readonly SequenceViolation[] {
  if (messages.length === 0) return [violation(null, 'empty', 'the list of messages is empty')]
  const violations: SequenceViolation[] = []
  let group: CallGroup | undefined
  messages.forEach((message, index) => {
    if (!isJsonObject(message)) {
      violations.push(violation(index, 'message', 'a message must be an object'))
      return
    }
    const role = own(message, 'role')
    if (role === 'tool') {
      violations.push(...answerCall(group, message, index))
      return
    }
    if (group !== undefined) violations.push(...closeGroup(group))
    violations.push(...checkRole(messages, index, role, options))
    group = role === 'assistant' ? openGroup(message, index, violations) : undefined
  })
  if (group !== undefined && options.allowPending !== true) violations.push(...closeGroup(group))
  return violations
}

function checkRole(
  messages: readonly unknown[],
  index: number,
  role: JsonValue | undefined,
  options: ValidateMessagesOptions,
): readonly SequenceViolation[] {
  if (!isRole(role)) {
    return [
      violation(
        index,
        'role',
        `unknown role ${JSON.stringify(role) ?? 'undefined'}; known are ${ROLES.join(', ')}`,
      ),
    ]
  }
  const before = messages[index - 1]
  const repeated = isJsonObject(before) && own(before, 'role') === role && !REPEATABLE.has(role)
  if (!repeated || options.allowRepeatedRoles === true) return NO_VIOLATIONS
  return [violation(index, 'repeated_role', `two ${role} messages in a row`)]
}

function openGroup(
  message: JsonObject,
  index: number,
  violations: SequenceViolation[],
): CallGroup | undefined {
  const calls = own(message, 'tool_calls')
  if (calls === undefined || calls === null) return undefined
  if (!Array.isArray(calls)) {
    violations.push(violation(index, 'tool_calls', '`tool_calls` must be a list'))
    return undefined
  }
  const ids = new Set<string>()
  calls.forEach((call: JsonValue, position) => {
    const id = isJsonObject(call) ? own(call, 'id') : undefined
    if (typeof id !== 'string' || id === '') {
      violations.push(violation(index, 'tool_calls', `\`tool_calls[${position}]\` has no \`id\``))
    } else if (ids.has(id)) {
      violations.push(violation(index, 'tool_calls', `two tool calls have the id "${id}"`))
    } else ids.add(id)
  })
  return calls.length === 0 ? undefined : { index, ids, open: new Set(ids) }
}

function answerCall(group: CallGroup | undefined, message: JsonObject, index: number): SequenceViolation[] {
  if (group === undefined) {
    const reason = 'a tool message must follow an assistant message with `tool_calls`'
    return [violation(index, 'orphan_tool', reason)]
  }
  const id = own(message, 'tool_call_id')
  if (typeof id !== 'string' || id === '') {
    return [violation(index, 'tool_call_id', 'a tool message needs a `tool_call_id`')]
  }
  if (!group.ids.has(id)) {
    const reason = `\`tool_call_id\` "${id}" does not match a call of message ${group.index}`
    return [violation(index, 'tool_call_id', reason)]
  }
  if (group.open.delete(id)) return []
  return [violation(index, 'answered_twice', `tool call "${id}" is answered twice`)]
}

function closeGroup({ open, index }: CallGroup): SequenceViolation[] {
  return [...open].map((id) =>
    violation(index, 'unanswered', `tool call "${id}" is not answered before the next message`),
  )
}

function violation(index: number | null, rule: SequenceRule, reason: string): SequenceViolation {
  return { index, rule, reason }
}

function summarise(violations: readonly SequenceViolation[]): string {
  const shown = violations.slice(0, MAX_SUMMARISED).map(describeViolation).join('; ')
  const rest = violations.length - MAX_SUMMARISED
  return rest > 0 ? `${shown}; and ${rest} more` : shown
}

function describeViolation({ index, reason }: SequenceViolation): string {
  return index === null ? reason : `message ${index}: ${reason}`
}
