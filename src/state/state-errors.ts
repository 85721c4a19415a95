import { type ErrorCode, ServiceError } from '../errors.js'
import { knownWord } from '../util/at.js'
import type { RecordAddress } from './contract/record-state.js'
import { shownId } from './record-name.js'

const REFUSALS = [
  ...(['missing', 'unreadable', 'exists', 'busy', 'conflict', 'ended', 'no_turn', 'no_context'] as const),
  ...(['no_memory', 'no_approval', 'active', 'limit', 'full', 'decided', 'fenced'] as const),
] as const

/** Why a store did not do what it was asked, by the names that scripts use. */
export type Refusal = (typeof REFUSALS)[number]

/** What comes with `busy` when nobody works: a person has to decide. */
const PAUSED = 'paused'
/** Seconds until a client should ask again when nobody can say how long a turn will wait. */
const DEFAULT_RETRY_SECONDS = 1

const CODES: Readonly<Record<Exclude<Refusal, 'missing' | 'ended' | 'busy'>, ErrorCode>> = {
  unreadable: 'state_unreadable',
  exists: 'already_exists',
  conflict: 'idempotency_conflict',
  no_turn: 'turn_not_found',
  no_context: 'context_not_found',
  no_memory: 'memory_not_found',
  no_approval: 'approval_not_found',
  active: 'invalid_request',
  limit: 'limit_exceeded',
  full: 'limit_exceeded',
  decided: 'approval_conflict',
  fenced: 'turn_interrupted',
}

/** As messages begin with them. */
const KINDS: Readonly<Record<RecordAddress['kind'], string>> = {
  session: 'Session',
  task: 'Task',
  response: 'Response',
  conversation: 'Conversation',
}

const MISSING: Readonly<Record<RecordAddress['kind'], ErrorCode>> = {
  session: 'session_not_found',
  task: 'task_not_found',
  response: 'response_not_found',
  conversation: 'conversation_not_found',
}

const BUSY: Readonly<Record<RecordAddress['kind'], ErrorCode>> = {
  session: 'session_busy',
  task: 'task_busy',
  response: 'session_busy',
  conversation: 'conversation_locked',
}

/** What a script says in place of `ok`. */
export function readRefusal(reply: unknown): Refusal {
  return knownWord(REFUSALS, reply)
}

/** The error for a refusal; `fact` is what came with it: milliseconds, a version, a status, `paused`. */
export function refused(
  refusal: Refusal,
  { kind, id }: Pick<RecordAddress, 'kind' | 'id'>,
  fact = '',
): ServiceError {
  const code = codeOf(refusal, kind)
  const message = messageOf(refusal, { kind, name: `${KINDS[kind]} "${shownId({ kind, id })}"` }, fact)
  if (refusal !== 'busy') return new ServiceError(code, message)
  const seconds = Math.ceil(Number(fact) / 1_000) || DEFAULT_RETRY_SECONDS
  return new ServiceError(code, message, { headers: { 'retry-after': String(seconds) } })
}

function codeOf(refusal: Refusal, kind: RecordAddress['kind']): ErrorCode {
  if (refusal === 'missing') return MISSING[kind]
  if (refusal === 'ended') return kind === 'task' ? 'task_ended' : 'turn_not_found'
  return refusal === 'busy' ? BUSY[kind] : CODES[refusal]
}

function messageOf(
  refusal: Refusal,
  { kind, name }: { readonly kind: RecordAddress['kind']; readonly name: string },
  fact: string,
): string {
  const inside = name.charAt(0).toLowerCase() + name.slice(1)
  const messages: Readonly<Record<Refusal, string>> = {
    missing: `${name} does not exist`,
    unreadable: `${name} was written in version ${fact}, by a newer release of the service: update this one`,
    exists: `${name} already exists, or a part of it with this name: choose another name`,
    busy: busyMessage(kind === 'task' ? name : `A turn of ${inside}`, kind, fact),
    conflict: `The Idempotency-Key was already used for ${inside} with another body: use a new key`,
    ended: kind === 'task' ? `${name} has ended` : `${name} has no running turn of this number`,
    no_turn: `${name} has no turn of this number`,
    no_context: `${name} has no context of this name`,
    no_memory: `${name} remembers nothing under this key`,
    no_approval: `${name} has no approval with this id`,
    active: `The active context of ${inside} cannot be deleted: switch to another context first`,
    limit: `${name} has reached its limit: delete unused ones, or start a new ${kind}`,
    full: `${name} has reached its storage limit: start a new one`,
    decided: `The approval of ${inside} was already resolved: ${fact}`,
    fenced: `The lease of ${inside} was lost: another process may continue it`,
  }
  return messages[refusal]
}

function busyMessage(work: string, kind: RecordAddress['kind'], fact: string): string {
  if (fact === PAUSED)
    return `${work} waits for approval: decide it or cancel the ${kind === 'task' ? kind : 'turn'}`
  return `${work} ${kind === 'task' ? 'has not ended' : 'is running'}: wait for it or cancel it`
}

/** The error for a store that cannot be used now. */
export function unavailable(reason: string, cause?: unknown): ServiceError {
  const headers = { 'retry-after': String(DEFAULT_RETRY_SECONDS) }
  return new ServiceError('state_unavailable', `State is not available: ${reason}`, { cause, headers })
}
