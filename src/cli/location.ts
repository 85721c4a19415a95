import { statSync } from 'node:fs'

/** True for a URL, rather than a path. */
export function isUrl(location: string): boolean {
  return /^[a-z][a-z0-9+-]*:\/\//.test(location)
}

/** Whether a word names a catalog: a URL, a path with a separator, or a folder that exists. */
export function isLocation(word: string): boolean {
  if (isUrl(word) || /^\.{1,2}$|[/\\]/.test(word)) return true
  return statSync(word, { throwIfNoEntry: false })?.isDirectory() === true
}
