import type { Kind } from '../store/store.js'
import { placeInCatalog } from './place-in-catalog.js'

/**
 * The parts of a document's key, as it is spelled where it was read: `a.b.c` may be `a:b.c` or `a.b:c`.
 *
 * @param location of a document of its own: its key in Redis, or its file
 */
export function spelledPath(kind: Kind, location: string): readonly string[] {
  const place = placeInCatalog({ kind, location })
  if (place.startsWith(`${kind}/`))
    return place
      .slice(kind.length + 1)
      .replace(/\.(?:json|ya?ml)$/, '')
      .split('/')
  const mark = `:${kind}:`
  const start = location.indexOf(mark)
  return location.slice(start < 0 ? 0 : start + mark.length).split(':')
}
