import type { Diagnostic } from './snapshot.js'

/**
 * Where a document is, for clients of the service: its file below the catalog's directory, such as
 * `templates/a/poem.yaml`, or its key in Redis. Where the directory is on this machine is not theirs to know.
 */
export function placeInCatalog({ kind, location }: Pick<Diagnostic, 'kind' | 'location'>): string {
  const path = location.replaceAll('\\', '/')
  const start = path.lastIndexOf(`/${kind}/`)
  return start < 0 ? location : path.slice(start + 1)
}
