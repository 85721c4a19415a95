/** What can be read as a resource. */
export type ResourceName =
  | { readonly kind: 'prompt'; readonly id: string }
  | { readonly kind: 'environ'; readonly id: string }

/** Where clients find a prompt's document. */
export function promptUri(id: string): string {
  return `prompt://${encodeURIComponent(id)}`
}

/** Where clients find a shared variable, or all below a path. */
export function environUri(path: string): string {
  return `environ://${encodeURIComponent(path)}`
}

/** Reads one of our uris; undefined for any other. */
export function parseResourceUri(uri: string): ResourceName | undefined {
  const [, kind, encoded] = /^(prompt|environ):\/\/([^/?#]+)$/.exec(uri) ?? []
  const id = encoded === undefined ? undefined : decode(encoded)
  if (id === undefined) return undefined
  return kind === 'prompt' ? { kind, id } : { kind: 'environ', id }
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
