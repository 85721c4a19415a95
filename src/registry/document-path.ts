/** Names of properties and indexes of elements, from the document's root. */
export type DocumentPath = readonly (string | number)[]

/** For people: `messages[0].role`. */
export function describePath(path: DocumentPath): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`
    return text === '' ? part : `${text}.${part}`
  }, '')
}
