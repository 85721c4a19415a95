import { type Dirent, existsSync, readdirSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { KINDS } from '../store/store.js'

const TEST_FILE = /\.test\.ya?ml$/

/** Files of tests among the paths: files as they are, and the `*.test.yaml` of folders, at any depth. Absolute, sorted. */
export function findTestFiles(paths: readonly string[]): readonly string[] {
  const files = paths
    .map((path) => resolve(path))
    .flatMap((path) => (isFolder(path) ? testsBelow(path) : [path]))
  return [...new Set(files)].sort()
}

function testsBelow(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry: Dirent) => {
    if (entry.name === 'node_modules' || entry.name.startsWith('.')) return []
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return testsBelow(path)
    return TEST_FILE.test(entry.name) ? [path] : []
  })
}

/** The catalog that a path is in: the nearest folder, from the path up, that has folders of documents. */
export function catalogAbove(path: string): string | undefined {
  for (let folder = resolve(path); ; folder = dirname(folder)) {
    if (isFolder(folder) && isCatalog(folder)) return folder
    if (dirname(folder) === folder) return undefined
  }
}

function isCatalog(folder: string): boolean {
  return KINDS.some((kind) => existsSync(join(folder, kind)))
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}
