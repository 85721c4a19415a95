import { readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { nearNames } from '../util/errors/near-names.js'

/** `: did you mean my-prompts?` for a folder that is not there, where a folder beside it has nearly its name; else empty. */
export function nearFolder(path: string): string {
  const [near] = nearNames(basename(path), foldersIn(dirname(path)))
  return near === undefined ? '' : `: did you mean ${join(dirname(path), near)}?`
}

function foldersIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name)
  } catch {
    return []
  }
}
