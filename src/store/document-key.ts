import type { DocumentAddress } from './store.js'

/** The name of a document, whatever the store: `environs:vscode:rules`. */
export function documentKey({ kind, path }: DocumentAddress): string {
  return `${kind}:${path.join(':')}`
}
