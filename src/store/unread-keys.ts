import { kindMeant } from './kind-meant.js'
import { AUTHORED_KINDS, type UnreadPlace } from './store.js'

/** What a load saw of the keys under a prefix. */
export interface SeenKeys {
  /** No document was found. */
  readonly isEmpty: boolean
  /** The directory parts of keys outside the catalog. */
  readonly directories: ReadonlySet<string>
}

/** Keys of a Redis that are not read though they seem meant to be, and the prefix itself where no document is. */
export function unreadKeys({
  prefix,
  location,
  isEmpty,
  directories,
}: SeenKeys & { readonly prefix: string; readonly location: string }): readonly UnreadPlace[] {
  const found: UnreadPlace[] = []
  if (isEmpty)
    found.push({
      code: 'empty_catalog',
      location,
      kind: 'templates',
      message: `no key begins with ${AUTHORED_KINDS.map((kind) => `"${prefix}:${kind}:"`).join(', ')}`,
      hint: 'KEY_PREFIX sets the first part; ai-prompt-shell push writes a directory',
    })
  for (const directory of [...directories].sort()) {
    const kind = kindMeant(directory)
    if (kind === undefined) continue
    found.push({
      code: 'wrong_folder',
      location: `${prefix}:${directory}`,
      kind,
      message: 'keys that begin so are not read',
      hint: `did you mean "${prefix}:${kind}:"?`,
    })
  }
  return found
}
