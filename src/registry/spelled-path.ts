import type { Kind } from '../store/store.js'
import { pathOfId, readVersionPath } from '../versions/addresses.js'
import type { VersionedKind } from '../versions/version-document.js'
import type { Claim } from './claim-table.js'
import { placeInCatalog } from './place-in-catalog.js'
import type { Life, VersionEntry } from './snapshot.js'

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

/**
 * The parts of the key of a prompt or an agent, which its versions, labels and history have, too: as its document is
 * spelled, else its newest version, else a label.
 */
export function subjectPath(
  kind: VersionedKind,
  id: string,
  head: Claim | undefined,
  life: Pick<Life<VersionEntry>, 'versions' | 'labels'> | undefined,
): readonly string[] {
  if (isDocument(head)) return spelledPath(kind, head.location)
  const [label] = life?.labels.values() ?? []
  return headPath(kind, life?.versions.at(-1)) ?? label?.entry.path ?? pathOfId(id)
}

/** The parts of a head's key, as its version spells them. */
export function headPath(
  kind: VersionedKind,
  version: VersionEntry | undefined,
): readonly string[] | undefined {
  return version === undefined ? undefined : readVersionPath(spelledPath(kind, version.location))?.path
}

/** Not part of an extension, nor of the package. */
export function isDocument(head: Claim | undefined): head is Claim {
  return head !== undefined && (!('origin' in head) || head.origin === 'direct')
}
