import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../../src')

/** Every TypeScript file of `src`, relative to it. */
export const SOURCES: readonly string[] = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
  (file) => /\.tsx?$/.test(file),
)

/** The folder of a file, or the file itself where it lies in `src`. */
export function roomOf(file: string): string {
  return file.split('/')[0] ?? file
}

/** The files that a file imports, relative to `src`. */
export function importsOf(file: string): readonly string[] {
  const text = readFileSync(join(root, file), 'utf8')
  return [...text.matchAll(/(?:from|import)\s*\(?\s*['"](\.[^'"]+)['"]/g)].map(([, specifier = '']) =>
    relative(root, resolve(root, dirname(file), specifier)).replace(/\.js$/, '.ts'),
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
