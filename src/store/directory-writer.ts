import { link, mkdir, readdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, extname, join, relative, resolve } from 'node:path'
import { errorCode } from '../util/errors/error-message.js'
import { type JsonValue, parseJson, stringifyJson } from '../util/json/json.js'
import { MAX_FOREIGN_DEPTH } from '../util/limits.js'
import { newId } from '../util/new-id.js'
import { runNow } from '../util/slices/sliced.js'
import { readYaml } from '../util/yaml/read-yaml.js'
import { yamlText } from '../util/yaml/yaml-text.js'
import type { LifeAddress } from '../versions/addresses.js'
import { addressOf, DOCUMENT_EXTENSIONS } from './catalog-files.js'
import type { CatalogWriter } from './catalog-writer.js'

/** How long a command waits for another one that writes the same file, in milliseconds. */
const LOCK_WAIT_MS = 2_000
const LOCK_LOOK_MS = 20

/** Text of a document for a file with this extension: texts of several lines as blocks, and no line broken that was one. */
export function fileText(file: string, value: JsonValue): string {
  if (!/\.ya?ml$/.test(file)) return `${stringifyJson(value, 2)}\n`
  return yamlText(value)
}

/** Writes versions and labels as files; their history is that of git. */
export function createDirectoryWriter(directory: string): CatalogWriter {
  const root = resolve(directory)
  const fileOf = async (address: LifeAddress) => (await existing(root, address)) ?? newFile(root, address)

  return {
    location: root,
    async read(address) {
      const file = await existing(root, address)
      const text = file === undefined ? undefined : await readOrMissing(file)
      if (file === undefined || text === undefined) return undefined
      return { text, value: parsedText(file, text), format: file.endsWith('.json') ? 'json' : 'yaml' }
    },
    async list(kind, part) {
      const names = await readdir(join(root, kind), { recursive: true }).catch(() => [])
      const paths = names
        .filter((name) => DOCUMENT_EXTENSIONS.includes(extname(name)))
        .map((name) => name.slice(0, -extname(name).length).split(/[/\\:]/))
      return paths
        .filter((path) => path.join(':').includes(part))
        .sort((one, other) => (one.join(':') < other.join(':') ? -1 : 1))
    },
    async create(address, value) {
      const file = await fileOf(address)
      return createFile(file, fileText(file, value))
    },
    async createText(address, text, like) {
      const model = await existing(root, like)
      const isThere = (await existing(root, address)) !== undefined
      return !isThere && createFile(newFile(root, address, model && extname(model)), text)
    },
    async replace(address, before, after) {
      const file = await fileOf(address)
      await mkdir(dirname(file), { recursive: true })
      return locked(file, async () => {
        if ((await readOrMissing(file)) !== before) return false
        if (after === undefined) await rm(file)
        else await rename(await writeDraft(file, after), file)
        return true
      })
    },
    append: async () => {},
    history: async () => undefined,
    pathOf: (location) => addressOf(root, location)?.path ?? pathIn(root, location),
    close: () => {},
  }
}

/**
 * Writes the text of a document that is a file already and still holds what was read: as it is given, comments and all.
 *
 * @returns false when it changed meanwhile, or is not there
 * @throws Error for a file behind a symbolic link, which may lead out of the directory
 */
export async function replaceText(
  directory: string,
  address: LifeAddress,
  before: string,
  after: string,
): Promise<boolean> {
  const root = resolve(directory)
  const file = await existing(root, address)
  if (file === undefined) return false
  const real = join(await realpath(root), relative(root, file))
  if ((await realpath(file)) !== real) throw new Error(`${file} is behind a symbolic link`)
  return locked(file, async () => {
    if ((await readOrMissing(file)) !== before) return false
    await rename(await writeBeside(file, after), file)
    return true
  })
}

function pathIn(root: string, location: string): readonly string[] | undefined {
  const [kind, ...path] = relative(root, location).split(/[/\\:]/)
  if (kind === '..' || kind === undefined || path.length === 0) return undefined
  return [...path.slice(0, -1), (path.at(-1) ?? '').replace(/\.(?:json|ya?ml)$/, '')]
}

/** The file of a document that is there; of several the one that is read. */
async function existing(root: string, { kind, path }: LifeAddress): Promise<string | undefined> {
  const stem = join(root, kind, ...safe(path))
  for (const extension of DOCUMENT_EXTENSIONS)
    if ((await readOrMissing(stem + extension)) !== undefined) return stem + extension
  return undefined
}

function newFile(root: string, { kind, path }: LifeAddress, extension = '.yaml'): string {
  return `${join(root, kind, ...safe(path))}${extension}`
}

/** False when there is one. Written beside it and linked: nobody reads half of it, and only one link of a name succeeds. */
async function createFile(file: string, text: string): Promise<boolean> {
  await mkdir(dirname(file), { recursive: true })
  const draft = await writeBeside(file, text)
  try {
    await link(draft, file)
    return true
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false
    throw error
  } finally {
    await rm(draft, { force: true })
  }
}

/** @throws Error for parts that are not valid file names */
function safe(path: readonly string[]): readonly string[] {
  const odd = path.find((part) => part === '' || part.startsWith('.') || /[/\\\0]/.test(part))
  if (odd !== undefined) throw new Error(`${path.join(':')} has no safe file name`)
  return path
}

/** Beside the file, under a name that is never read as a document. */
async function writeDraft(file: string, value: JsonValue): Promise<string> {
  return writeBeside(file, fileText(file, value))
}

async function writeBeside(file: string, text: string): Promise<string> {
  const draft = join(dirname(file), `.${newId()}.tmp`)
  await writeFile(draft, text, { flag: 'wx' })
  return draft
}

/** Does the work while no other command of ours writes this file. */
async function locked<Result>(file: string, work: () => Promise<Result>): Promise<Result> {
  const lock = join(dirname(file), `.${file.slice(dirname(file).length + 1)}.lock`)
  for (let waited = 0; !(await tookLock(lock)); waited += LOCK_LOOK_MS) {
    if (waited >= LOCK_WAIT_MS)
      throw new Error(`another command writes ${file}; if none runs, delete ${lock}`)
    await new Promise((resolve) => setTimeout(resolve, LOCK_LOOK_MS))
  }
  try {
    return await work()
  } finally {
    await rm(lock, { force: true })
  }
}

async function tookLock(lock: string): Promise<boolean> {
  try {
    await writeFile(lock, '', { flag: 'wx' })
    return true
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false
    throw error
  }
}

async function readOrMissing(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  }
}

function parsedText(file: string, text: string): JsonValue | undefined {
  try {
    return file.endsWith('.json') ? parseJson(text) : runNow(readYaml(text, MAX_FOREIGN_DEPTH)).value
  } catch {
    return undefined
  }
}
