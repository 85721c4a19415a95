import nodePath from 'node:path'

/** A path relative to where the process runs, unless that leads up. Anything but an absolute path, such as a key, stays as it is. */
export function shortPath(
  path: string,
  { isAbsolute, relative }: Pick<typeof nodePath, 'isAbsolute' | 'relative'> = nodePath,
): string {
  if (!isAbsolute(path)) return path
  const short = relative('.', path)
  if (short === '') return '.'
  return short.startsWith('..') ? path : short
}
