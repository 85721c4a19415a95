import { relative } from 'node:path'

/** A path relative to where the process runs, unless that leads up. What is no absolute path, such as a key, stays as it is. */
export function shortPath(path: string): string {
  if (!path.startsWith('/')) return path
  const short = relative('.', path)
  if (short === '') return '.'
  return short.startsWith('..') ? path : short
}
