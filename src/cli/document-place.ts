import { readdirSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { addressOf, DOCUMENT_EXTENSIONS } from '../store/catalog-files.js'
import { AUTHORED_KINDS } from '../store/store.js'
import { UsageError } from './command.js'

/** One document of a catalog in a directory. */
export interface DocumentPlace {
  /** The catalog's directory, absolute. */
  readonly catalog: string
  /** The document's file, absolute. */
  readonly file: string
}

/**
 * Finds the catalog that a file is a document of: of the folders above it that have the name of a kind, the one beside
 * which most others are, and of equal ones the nearest.
 *
 * @throws UsageError for a file that no catalog would read
 */
export function documentPlace(path: string): DocumentPlace {
  const file = resolve(path)
  const [catalog] = above(file)
    .filter((directory) => isKind(basename(directory)))
    .map(dirname)
    .toSorted((one, other) => kindsIn(other) - kindsIn(one))
  if (catalog === undefined)
    throw new UsageError(
      `${path} is in no catalog: documents are in folders named ${AUTHORED_KINDS.join(', ')}`,
    )
  if (addressOf(catalog, file) === undefined)
    throw new UsageError(`${path} is not a document: its name must end in ${DOCUMENT_EXTENSIONS.join(', ')}`)
  return { catalog, file }
}

/** The directories above a file, nearest first. */
function above(file: string): readonly string[] {
  const parent = dirname(file)
  return parent === file ? [] : [parent, ...above(parent)]
}

function kindsIn(directory: string): number {
  return readdirSync(directory).filter(isKind).length
}

function isKind(name: string): boolean {
  return AUTHORED_KINDS.some((kind) => kind === name)
}
