import type { CatalogWriter } from '../../store/catalog-writer.js'
import { PROPOSAL_KINDS, RELEASE_KINDS, readLabelPath, readVersionPath } from '../../versions/addresses.js'
import type { VersionedKind } from '../../versions/version-document.js'

/** What there is of one prompt or agent, by the names of its keys. */
export interface LifeNames {
  /** The parts of its key. */
  readonly path: readonly string[]
  /** Ascending. */
  readonly numbers: readonly number[]
  readonly labels: readonly string[]
  /** Labels for which something is proposed. */
  readonly proposals: readonly string[]
}

type Names = Map<string, LifeNames>

/**
 * The names of all versions, labels and proposals. A command lists them once, whatever number of prompts it is about: a
 * store lists by going through all of its keys. What others add meanwhile is missed until `forget`; documents themselves
 * are read when they are needed, and written by compare-and-set.
 */
export class LifeIndex {
  readonly #writer: CatalogWriter
  readonly #names = new Map<VersionedKind, Promise<Names>>()

  constructor(writer: CatalogWriter) {
    this.#writer = writer
  }

  /** Of one prompt or agent, by its key. */
  async at(kind: VersionedKind, path: readonly string[]): Promise<LifeNames> {
    return (await this.#of(kind)).get(keyOf(path)) ?? nothing(path)
  }

  /** Of all that have versions, labels or proposals; sorted by key. */
  async all(kind: VersionedKind): Promise<readonly LifeNames[]> {
    return [...(await this.#of(kind))]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([, names]) => names)
  }

  /** Adds a version that this command wrote. */
  async add(kind: VersionedKind, path: readonly string[], number: number): Promise<void> {
    const names = await this.#of(kind)
    const { numbers, ...others } = names.get(keyOf(path)) ?? nothing(path)
    names.set(keyOf(path), { ...others, numbers: [...numbers, number].sort(ascending) })
  }

  /** The next question lists the keys again. */
  forget(): void {
    this.#names.clear()
  }

  #of(kind: VersionedKind): Promise<Names> {
    let names = this.#names.get(kind)
    if (names === undefined) {
      names = namesIn(this.#writer, kind)
      this.#names.set(kind, names)
    }
    return names
  }
}

async function namesIn(writer: CatalogWriter, kind: VersionedKind): Promise<Names> {
  const [documents, releases, proposals] = await Promise.all([
    writer.list(kind, '@'),
    writer.list(RELEASE_KINDS[kind], ''),
    writer.list(PROPOSAL_KINDS[kind], ''),
  ])
  const numbers = grouped(documents, readVersionPath, ({ number }) => number)
  const labels = grouped(releases, readLabelPath, ({ label }) => label)
  const proposed = grouped(proposals, readLabelPath, ({ label }) => label)
  const keys = new Set([...numbers.keys(), ...labels.keys(), ...proposed.keys()])
  return new Map(
    [...keys].map((key) => [
      key,
      {
        path: key.split(':'),
        numbers: (numbers.get(key) ?? []).sort(ascending),
        labels: labels.get(key) ?? [],
        proposals: proposed.get(key) ?? [],
      },
    ]),
  )
}

function grouped<Place extends { readonly path: readonly string[] }, Name>(
  paths: readonly (readonly string[])[],
  read: (path: readonly string[]) => Place | undefined,
  nameOf: (place: Place) => Name,
): Map<string, Name[]> {
  const groups = new Map<string, Name[]>()
  for (const path of paths) {
    const place = read(path)
    if (place === undefined) continue
    const key = keyOf(place.path)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [nameOf(place)])
    else group.push(nameOf(place))
  }
  return groups
}

function keyOf(path: readonly string[]): string {
  return path.join(':')
}

function nothing(path: readonly string[]): LifeNames {
  return { path, numbers: [], labels: [], proposals: [] }
}

function ascending(one: number, other: number): number {
  return one - other
}
