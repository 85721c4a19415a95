import { type ErrorCode, ServiceError } from '../errors.js'
import { knownWord } from '../util/known-word.js'
import { shownId } from './session-name.js'
import type { RecordAddress } from './state-store.js'

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

const CODES: Readonly<Record<Exclude<Refusal, 'missing' | 'ended'>, ErrorCode>> = {
  unreadable: 'state_unreadable',
  exists: 'already_exists',
  busy: 'session_busy',
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
  const message = messageOf(refusal, `${kind} ${shownId({ kind, id })}`, fact)
  if (refusal !== 'busy') return new ServiceError(code, message)
  const seconds = Math.ceil(Number(fact) / 1_000) || DEFAULT_RETRY_SECONDS
  return new ServiceError(code, message, { headers: { 'retry-after': String(seconds) } })
}

function codeOf(refusal: Refusal, kind: RecordAddress['kind']): ErrorCode {
  if (refusal === 'missing') return kind === 'session' ? 'session_not_found' : 'task_not_found'
  if (refusal === 'ended') return kind === 'session' ? 'turn_not_found' : 'task_ended'
  return CODES[refusal]
}

function messageOf(refusal: Refusal, name: string, fact: string): string {
  const messages: Readonly<Record<Refusal, string>> = {
    missing: `There is no ${name}`,
    unreadable: `${name} was written in version ${fact}, by a newer version of the service`,
    exists: `There is a ${name} already, or a part of it with this name`,
    busy:
      fact === PAUSED
        ? `A turn of ${name} waits for approval: decide, or cancel it`
        : `A turn of ${name} is open`,
    conflict: `The Idempotency-Key was used before at ${name}, with another body`,
    ended: `No such turn of ${name} is open`,
    no_turn: `${name} has no such turn`,
    no_context: `${name} has no such context`,
    no_memory: `${name} remembers nothing under this key`,
    no_approval: `${name} has no such approval`,
    active: `The active context of ${name} cannot be destroyed: switch to another one first`,
    limit: `${name} has as many of these as it may have`,
    full: `${name} keeps as much as it may: begin another one`,
    decided: `The approval of ${name} was decided before: ${fact}`,
    fenced: `The lease of ${name} is lost: another process may go on with it`,
  }
  return messages[refusal]
}

/** The error for a store that cannot be used now. */
export function unavailable(reason: string, cause?: unknown): ServiceError {
  const headers = { 'retry-after': String(DEFAULT_RETRY_SECONDS) }
  return new ServiceError('state_unavailable', `State is not available: ${reason}`, { cause, headers })
}
