import { open, readdir } from 'node:fs/promises'
import { basename, dirname, extname, join, sep } from 'node:path'
import { DOCUMENT_EXTENSIONS, isIgnored, listDirectory } from './catalog-files.js'
import { kindMeant } from './kind-meant.js'
import { AUTHORED_KINDS, KINDS, type Kind, type UnreadPlace } from './store.js'

/** More than these are not reported. */
const MAX_UNREAD = 100
/** Of a file beside the folders, in bytes: documents say early what they are. */
const LOOKED_AT = 4_096
/** Directories that are looked through for the catalog that was meant. */
const MAX_LOOKED_THROUGH = 200
const MAX_SUGGESTED = 3

/** Extensions of texts that authors write templates and settings in. */
const OTHER_EXTENSIONS: ReadonlySet<string> = new Set([
  ...['.jsonc', '.json5', '.toml', '.prompt', '.prompty', '.tmpl', '.gotmpl', '.hbs', '.j2'],
])

/** What only documents say, at the beginning of a line. */
const MARKS: readonly (readonly [RegExp, Kind])[] = [
  [/^[ \t{"]*(?:userPrompt|messages)"?\s*:/m, 'templates'],
  [/^[ \t{"]*contributes"?\s*:/m, 'extensions'],
  [/^[ \t{"]*instructions"?\s*:/m, 'agents'],
]

/** True for a file in a folder of the catalog that was probably meant as a document. */
export function looksLikeDocument(path: string): boolean {
  if (DOCUMENT_EXTENSIONS.includes(extname(path))) return false
  return nameMeant(path) !== undefined || OTHER_EXTENSIONS.has(extname(path).toLowerCase())
}

/** The name of a file that is nearly one of a document: `x.YAML`, `x.yaml.txt`. */
function nameMeant(path: string): string | undefined {
  const extension = extname(path)
  const name = basename(path, extension)
  if (DOCUMENT_EXTENSIONS.includes(extension.toLowerCase())) return name + extension.toLowerCase()
  return extension === '.txt' && DOCUMENT_EXTENSIONS.includes(extname(name)) ? name : undefined
}

/**
 * Files of a catalog directory that are not read but seem to be meant as documents, by path.
 *
 * @param files those in its folders that look like documents
 * @param isEmpty no document was found at all
 */
export async function findUnread(
  root: string,
  { files, isEmpty }: { readonly files: Iterable<string>; readonly isEmpty: boolean },
): Promise<readonly UnreadPlace[]> {
  const near = isEmpty ? await nearCatalogs(root) : []
  const found: UnreadPlace[] = isEmpty ? [emptyCatalog(root, near)] : []
  // The catalog is elsewhere: files here are not part of it.
  if (near.length > 0) return found
  const listing = await listDirectory(root, undefined).catch(() => undefined)
  for (const path of listing?.directories ?? []) {
    const kind = kindMeant(basename(path))
    if (kind !== undefined && (await holdsDocuments(path))) found.push(wrongFolder(path, kind))
  }
  for (const path of listing?.files ?? []) {
    const kind = DOCUMENT_EXTENSIONS.includes(extname(path).toLowerCase()) ? await kindIn(path) : undefined
    if (kind !== undefined) found.push(unreadFile(path, kind, `move it into the folder "${kind}"`))
  }
  for (const path of files) {
    if (found.length >= MAX_UNREAD) break
    const name = nameMeant(path)
    const hint =
      name === undefined ? `documents end with ${DOCUMENT_EXTENSIONS.join(', ')}` : `name it "${name}"`
    found.push(unreadFile(path, kindOf(root, path), hint))
  }
  return found.slice(0, MAX_UNREAD).sort((one, other) => (one.location < other.location ? -1 : 1))
}

function wrongFolder(location: string, kind: Kind): UnreadPlace {
  return { code: 'wrong_folder', location, kind, message: 'this folder is not read', hint: `name it ${kind}` }
}

function unreadFile(location: string, kind: Kind, hint: string): UnreadPlace {
  return { code: 'unread_file', location, kind, message: 'this file is not read', hint }
}

function emptyCatalog(root: string, near: readonly string[]): UnreadPlace {
  return {
    code: 'empty_catalog',
    location: root,
    kind: 'templates',
    message: `no document is here: a catalog has the folders ${AUTHORED_KINDS.join(', ')}`,
    ...(near.length > 0 && {
      hint: `did you mean ${near.map((path) => JSON.stringify(path)).join(' or ')}?`,
    }),
  }
}

/** Catalog directories around a directory that is not one: above, if it is a folder of one, else below. */
async function nearCatalogs(root: string): Promise<readonly string[]> {
  for (let path = root; dirname(path) !== path; path = dirname(path))
    if (isKind(basename(path))) return [dirname(path)]
  const found: string[] = []
  let waiting = [root]
  let left = MAX_LOOKED_THROUGH
  for (let depth = 0; depth < 2 && found.length < MAX_SUGGESTED; depth += 1) {
    const below: string[] = []
    for (const directory of waiting) {
      for (const name of await directoriesIn(directory)) {
        left -= 1
        if (left < 0) return found
        const path = join(directory, name)
        if ((await directoriesIn(path)).some(isKind)) found.push(path)
        else below.push(path)
      }
    }
    waiting = below
  }
  return found.sort().slice(0, MAX_SUGGESTED)
}

async function directoriesIn(path: string): Promise<readonly string[]> {
  const entries = await readdir(path, { withFileTypes: true }).catch(() => [])
  return entries.flatMap((entry) =>
    entry.isDirectory() && !isIgnored(entry.name) && entry.name !== 'node_modules' ? [entry.name] : [],
  )
}

function isKind(name: string): boolean {
  return KINDS.some((kind) => kind === name)
}

function kindOf(root: string, path: string): Kind {
  const [folder] = path.slice(root.length + 1).split(sep)
  return KINDS.find((kind) => kind === folder) ?? 'templates'
}

/** The kind of document that a file seems to hold. */
async function kindIn(path: string): Promise<Kind | undefined> {
  try {
    const handle = await open(path)
    try {
      const { bytesRead, buffer } = await handle.read(Buffer.alloc(LOOKED_AT), 0, LOOKED_AT, 0)
      const text = buffer.toString('utf8', 0, bytesRead)
      return MARKS.find(([mark]) => mark.test(text))?.[1]
    } finally {
      await handle.close()
    }
  } catch {
    return undefined
  }
}

async function holdsDocuments(directory: string): Promise<boolean> {
  const names = await readdir(directory, { recursive: true }).catch(() => [])
  return names.some((name) => DOCUMENT_EXTENSIONS.includes(extname(name)))
}
