import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { DocumentError } from '../registry/fault.js'
import { parseText } from '../registry/parse-document.js'
import { createDirectoryStore } from '../store/directory-store.js'
import { fileText } from '../store/directory-writer.js'
import { AUTHORED_KINDS } from '../store/store.js'
import type { JsonValue } from '../util/json/json.js'
import type { DocumentChange } from './document-diff.js'

/** A catalog directory as Redis keys. */
export interface DirectoryDocuments {
  readonly documents: ReadonlyMap<string, JsonValue>
  /** The file of each key. */
  readonly files: ReadonlyMap<string, string>
  /** Keys of the files that cannot be read. */
  readonly unreadable: ReadonlySet<string>
}

/** Reads every document of a directory. */
export async function readDirectoryDocuments(directory: string, prefix: string): Promise<DirectoryDocuments> {
  const documents = new Map<string, JsonValue>()
  const files = new Map<string, string>()
  const unreadable = new Set<string>()
  const store = createDirectoryStore(directory)
  for await (const batch of store.load({})) {
    for (const document of batch) {
      const key = [prefix, document.kind, ...document.path].join(':')
      files.set(key, document.location)
      try {
        documents.set(key, parseText(document).value)
      } catch (error) {
        if (!(error instanceof DocumentError)) throw error
        unreadable.add(key)
      }
    }
  }
  await store.close()
  return { documents, files, unreadable }
}

/** The formats of new files. */
export const DOCUMENT_FORMATS = ['json', 'yaml'] as const
export type DocumentFormat = (typeof DOCUMENT_FORMATS)[number]

/** What is known of a directory that documents are written into. */
export interface TargetDirectory {
  /** First part of every key. */
  readonly prefix: string
  /** The file of each key that has one; files keep their format. */
  readonly files: ReadonlyMap<string, string>
  /** Of new files. */
  readonly format: DocumentFormat
}

/** Writes changes into a directory. */
export async function writeDirectoryDocuments(
  directory: string,
  changes: readonly DocumentChange[],
  { prefix, files, format }: TargetDirectory,
): Promise<void> {
  for (const { name, after } of changes) {
    const file = files.get(name) ?? `${join(directory, ...pathParts(name, prefix))}.${format}`
    if (after === undefined) {
      await rm(file)
      continue
    }
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, fileText(file, after))
  }
}

/** Keys that have no safe file name: an empty part, a dot at the beginning, a separator. */
export function isUnsafeKey(key: string, prefix: string): boolean {
  return pathParts(key, prefix).some((part) => part === '' || part.startsWith('.') || /[/\\\0]/.test(part))
}

function pathParts(key: string, prefix: string): readonly string[] {
  const [kind = '', ...rest] = key.slice(prefix.length + 1).split(':')
  if (!AUTHORED_KINDS.some((known) => known === kind)) throw new Error(`${key} is not a key of the catalog`)
  return [kind, ...rest]
}
