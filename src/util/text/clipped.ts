/** A text of at most this many characters, and an ellipsis where something is left out. */
export function clipped(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most)}…`
}
