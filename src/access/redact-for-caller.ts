import { type ErrorCode, ServiceError } from '../errors.js'
import type { Kind } from '../store/store.js'
import { isJsonObject, own } from '../util/json/json.js'
import type { Access } from './access.js'
import { mayRead, mayReadAll } from './may-read.js'

/** What the suggestions of an error are names of. */
const SUGGESTED: Readonly<Partial<Record<ErrorCode, Kind>>> = {
  extension_not_found: 'extensions',
  prompt_not_found: 'templates',
  environ_not_found: 'environs',
  tool_not_found: 'tools',
  agent_not_found: 'agents',
}

/** Failures of templates, whose message stays: only the suggestions are left out. */
const INSIDE: ReadonlySet<ErrorCode> = new Set(['template_error', 'partial_not_found'])

/** Kinds of which a key with labels gets what these serve, and not all there is. */
const LABELLED: ReadonlySet<Kind> = new Set(['extensions', 'templates', 'agents'])

/** An error as a key may see it: what is not found suggests nothing of which the key may not know. */
export function redactForCaller(access: Access, error: ServiceError): ServiceError {
  if (INSIDE.has(error.code)) return withoutSuggestions(access, error)
  const kind = SUGGESTED[error.code]
  if (kind === undefined || mayReadAll(access) || namesNothing(access, kind, error.details)) return error
  return new ServiceError(error.code, 'Nothing that the key may see has this name', {
    ...(error.param !== null && { param: error.param }),
  })
}

function withoutSuggestions(access: Access, error: ServiceError): ServiceError {
  if (mayReadAll(access) || namesNothing(access, 'templates', error.details)) return error
  const { code, message, headers, details } = error
  const kept = Object.entries(isJsonObject(details) ? details : {}).filter(
    ([name]) => name !== 'near' && name !== 'hint',
  )
  return new ServiceError(code, message, { headers, details: Object.fromEntries(kept) })
}

function namesNothing(access: Access, kind: Kind, details: unknown): boolean {
  if (!isJsonObject(details)) return true
  if (own(details, 'broken') !== undefined) return false
  const near = own(details, 'near')
  if (!Array.isArray(near) || near.length === 0) return true
  // Of what is near, nobody looked whether labels serve it.
  if (access.labels !== undefined && LABELLED.has(kind)) return false
  return near.every((id) => typeof id === 'string' && mayRead(access, kind, id))
}
