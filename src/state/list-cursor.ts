import { invalidInput } from '../util/errors/invalid-input.js'

/** The place in a list after which the next page begins. */
export interface ListCursor {
  readonly id: string
  /** The text of a number. */
  readonly score: string
}

/** @throws ServiceError `invalid_request` for a text that no page gave */
export function parseListCursor(cursor: string): ListCursor {
  const [, score, id] = /^(\d{1,16})_([A-Za-z0-9._-]{1,100})$/.exec(cursor) ?? []
  if (score === undefined || id === undefined)
    throw invalidInput('cursor', 'Invalid cursor: send `next_cursor` of the previous page')
  return { id, score }
}

/** The cursor of the page after this entry. */
export function formatListCursor({ id, score }: ListCursor): string {
  return `${score}_${id}`
}
