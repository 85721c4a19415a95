import type { CatalogWriter } from '../../store/catalog-writer.js'
import { counted } from '../../util/text/counted.js'
import {
  type LifeAddress,
  lifeKey,
  PROPOSAL_KINDS,
  RELEASE_KINDS,
  readVersionPath,
} from '../../versions/addresses.js'
import { VERSIONED_KINDS } from '../../versions/version-document.js'
import type { CliContext, OptionValues } from '../command.js'
import type { Documents } from '../document-diff.js'

/** The documents that authors write: without versions, and without what labels point at. */
export function withoutLife(documents: Documents, prefix: string): Documents {
  return new Map([...documents].filter(([key]) => !isOfLife(key.slice(prefix.length + 1))))
}

/** @param key without the prefix */
function isOfLife(key: string): boolean {
  const [kind = '', ...path] = key.split(':')
  if (LABEL_KINDS.includes(kind)) return true
  return VERSIONED_KINDS.some((each) => each === kind) && readVersionPath(path) !== undefined
}

const LABEL_KINDS: readonly string[] = [...Object.values(RELEASE_KINDS), ...Object.values(PROPOSAL_KINDS)]

/** Adds the versions and labels that the target lacks, versions first; changes and deletes none. Closes both. */
export async function copyLife(
  source: CatalogWriter,
  target: CatalogWriter,
  values: OptionValues,
  { stdout }: Pick<CliContext, 'stdout'>,
): Promise<void> {
  const isDry = values['dry-run'] === true
  try {
    let added = 0
    for (const address of [...(await versionsIn(source)), ...(await labelsIn(source))]) {
      if (!(await copyOne(source, target, address, isDry))) continue
      added += 1
      stdout(`+ ${lifeKey(address)}\n`)
    }
    const noun = counted(added, 'version or label', 'versions and labels')
    stdout(`${isDry ? 'would be: ' : ''}${noun} added\n`)
  } finally {
    source.close()
    target.close()
  }
}

async function copyOne(
  source: CatalogWriter,
  target: CatalogWriter,
  address: LifeAddress,
  isDry: boolean,
): Promise<boolean> {
  const document = await source.read(address)
  if (document?.value === undefined) return false
  if (isDry) return (await target.read(address)) === undefined
  return target.create(address, document.value)
}

async function versionsIn(source: CatalogWriter): Promise<readonly LifeAddress[]> {
  const found = await Promise.all(
    VERSIONED_KINDS.map(async (kind) => (await source.list(kind, '@')).map((path) => ({ kind, path }))),
  )
  return found.flat().filter(({ path }) => readVersionPath(path) !== undefined)
}

async function labelsIn(source: CatalogWriter): Promise<readonly LifeAddress[]> {
  const found = await Promise.all(
    LABEL_KINDS.map(async (kind) => (await source.list(kind, '')).map((path) => ({ kind, path }))),
  )
  return found.flat()
}
