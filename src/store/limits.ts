/** The largest document that a store reads, in bytes. A larger one is unreadable. */
export const MAX_DOCUMENT_BYTES = 10 * 1024 * 1024
