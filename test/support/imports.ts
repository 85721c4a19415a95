import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { getOrCreate } from '../../src/util/get-or-create.js'

const root = resolve(import.meta.dirname, '../../src')

/** Every TypeScript file of `src`, relative to it. */
export const SOURCES: readonly string[] = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
  (file) => /\.tsx?$/.test(file),
)

const texts = new Map<string, string>()
const codes = new Map<string, string>()

/** The text of a file, read once. */
export function sourceOf(file: string): string {
  return getOrCreate(texts, file, () => readFileSync(join(root, file), 'utf8'))
}

/** A file without its comments. */
export function codeOf(file: string): string {
  return getOrCreate(codes, file, () => sourceOf(file).replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, ''))
}

/** The folder of a file, or the file itself where it lies in `src`. */
export function roomOf(file: string): string {
  return file.split('/')[0] ?? file
}

/** The files that a file imports, relative to `src`. */
export function importsOf(file: string): readonly string[] {
  return [...sourceOf(file).matchAll(/(?:from|import)\s*\(?\s*['"](\.[^'"]+)['"]/g)].map(
    ([, specifier = '']) => relative(root, resolve(root, dirname(file), specifier)).replace(/\.js$/, '.ts'),
  )
}

/** The rooms that the files of a room import. */
export function roomsReachedFrom(room: string): ReadonlySet<string> {
  return new Set(
    SOURCES.filter((file) => roomOf(file) === room)
      .flatMap(importsOf)
      .map(roomOf),
  )
}
