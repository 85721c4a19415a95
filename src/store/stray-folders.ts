import { readdir } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'
import { nearNames } from '../util/near-names.js'
import { DOCUMENT_EXTENSIONS, listDirectory } from './catalog-files.js'
import { KINDS, type Kind } from './store.js'

/** A folder beside those of a catalog that looks as if it were meant to be one of them. */
export interface StrayFolder {
  readonly path: string
  /** The folder whose documents it seems to hold. */
  readonly kind: Kind
}

/** What people call the folders. */
const OTHER_NAMES: Readonly<Record<Kind, readonly string[]>> = {
  templates: ['prompts', 'prompt', 'template', 'messages'],
  environs: ['environments', 'environment', 'environ', 'env', 'context', 'contexts', 'variables'],
  tools: ['tool', 'functions', 'function'],
  extensions: ['extension', 'plugins'],
  agents: ['agent', 'assistants', 'assistant', 'bots'],
}

/** Folders of a catalog directory that are not read and hold documents; sorted by path. */
export async function findStrayFolders(root: string): Promise<readonly StrayFolder[]> {
  const listing = await listDirectory(root, undefined).catch(() => undefined)
  const folders: StrayFolder[] = []
  for (const path of [...(listing?.directories ?? [])].sort()) {
    const kind = kindMeant(basename(path))
    if (kind !== undefined && (await holdsDocuments(path))) folders.push({ path, kind })
  }
  return folders
}

function kindMeant(name: string): Kind | undefined {
  if (KINDS.some((kind) => kind === name)) return undefined
  const lowered = name.toLowerCase()
  const known = KINDS.find((kind) => kind === lowered || OTHER_NAMES[kind].includes(lowered))
  return known ?? KINDS.find((kind) => nearNames(lowered, [kind]).length > 0)
}

async function holdsDocuments(directory: string): Promise<boolean> {
  const names = await readdir(directory, { recursive: true }).catch(() => [])
  return names.some((name) =>
    DOCUMENT_EXTENSIONS.some((extension) => extname(join(directory, name)) === extension),
  )
}
