import { ServiceError } from '../errors.js'
import { BUNDLED_CATALOG } from '../open-shell.js'
import type { Registry } from '../registry/registry.js'
import type { Snapshot } from '../registry/snapshot.js'
import { AnswerError } from './server-connection.js'

/** Limit of names in a message. */
const MAX_NAMES = 10

/** Ids of the catalog's own prompts: those that the planner of tasks brings along are nobody's to name. */
export function idsOfDocuments(prompts: Snapshot['prompts']): readonly string[] {
  return prompts.ids().filter((id) => prompts.get(id)?.origin !== 'bundled')
}

/**
 * For an unknown id that is near to none: what ids there are, and where, if that is the catalog of nobody. Other errors stay
 * as they are.
 */
export function namedInCatalog<Thrown>(
  error: Thrown,
  ids: Iterable<string>,
  { status }: Pick<Registry, 'status'>,
): Thrown | ServiceError {
  if (error instanceof AnswerError && error.thrown !== undefined)
    return namedInCatalog(error.thrown, ids, { status })
  if (!(error instanceof ServiceError) || !/_not_found$/.test(error.code) || error.details !== undefined)
    return error
  const names = [...ids].sort()
  const shown = names.slice(0, MAX_NAMES).join(', ')
  const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : ''
  const listed = names.length === 0 ? 'the catalog has none' : `the catalog has ${shown}${more}`
  const isExamples = status.store.location === BUNDLED_CATALOG
  const own = isExamples ? '. These are the bundled examples: name your catalog with --catalog' : ''
  return new ServiceError(error.code, `${error.message}: ${listed}${own}`, { cause: error })
}
