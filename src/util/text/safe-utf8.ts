const decoder = new TextDecoder('utf-8', { fatal: true })

/** The text of UTF-8 bytes, without a byte order mark; undefined when they are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes)
  } catch {
    return undefined
  }
}
