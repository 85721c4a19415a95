import type { JsonValue } from '../../util/json/json.js'

interface OpenCall {
  readonly position: number
  readonly id: string | undefined
}

/**
 * Finds the call of a message that a streamed piece belongs to. Pieces of one call share an index; but some providers give
 * every call the index 0, and some give none: there a new id, or without ids a name, begins the next call.
 */
export class ToolCallPositions {
  readonly #byIndex = new Map<JsonValue | undefined, OpenCall>()
  #latest: OpenCall | undefined
  #count = 0

  /** The piece's place among the message's calls, and whether it is the call's first. */
  take(
    index: JsonValue | undefined,
    id: string | undefined,
    name: string | undefined,
  ): { readonly position: number; readonly isNew: boolean } {
    const open = index === undefined || index === null ? this.#latest : this.#byIndex.get(index)
    if (open !== undefined && !beginsNext(open, index, id, name)) {
      return { position: open.position, isNew: false }
    }
    const call = { position: this.#count, id }
    this.#count += 1
    this.#latest = call
    this.#byIndex.set(index, call)
    return { position: call.position, isNew: true }
  }
}

function beginsNext(
  open: OpenCall,
  index: JsonValue | undefined,
  id: string | undefined,
  name: string | undefined,
): boolean {
  if (id !== undefined) return open.id !== undefined && id !== open.id
  return name !== undefined && typeof index !== 'number'
}
