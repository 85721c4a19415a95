import { decodeUtf8 } from '../util/text/safe-utf8.js'
import { MAX_DOCUMENT_BYTES } from './limits.js'
import type { StoredDocument, TextFormat } from './store.js'

/** Decodes a document's bytes; bytes that are not text become a problem. */
export function contentOf(bytes: Uint8Array, format: TextFormat): StoredDocument['content'] {
  if (bytes.byteLength > MAX_DOCUMENT_BYTES) return unreadable(tooLargeDocument(bytes.byteLength))
  const text = decodeUtf8(bytes)
  return text === undefined
    ? unreadable('it is not UTF-8 text: save it as UTF-8')
    : { kind: 'text', text, format }
}

export function unreadable(problem: string): StoredDocument['content'] {
  return { kind: 'unreadable', problem }
}

export function tooLargeDocument(bytes: number): string {
  return `${bytes} bytes are more than the limit of ${MAX_DOCUMENT_BYTES}`
}
