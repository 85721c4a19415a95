import type { JsonObject } from '../api/shapes.js'

/** Longer addresses are cut by some of the ways that links travel. */
export const MAX_LINK_LENGTH = 8_192

/** A draft as a part of an address: compressed, in letters that need no escape. */
export async function encodeDraft(draft: JsonObject): Promise<string> {
  const packed = new Blob([JSON.stringify(draft)]).stream().pipeThrough(new CompressionStream('deflate-raw'))
  const bytes = new Uint8Array(await new Response(packed).arrayBuffer())
  const letters = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')
  return btoa(letters).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}

/** Reads what {@link encodeDraft} wrote. @throws for anything else */
export async function decodeDraft(text: string): Promise<JsonObject> {
  const letters = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0))
  const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'))
  const draft: unknown = JSON.parse(await new Response(unpacked).text())
  if (!isObject(draft)) throw new Error('no document')
  return draft
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
