/** A text of at most this many characters, and an ellipsis where something is left out. No character is cut in half. */
export function clipped(text: string, most: number): string {
  if (text.length <= most) return text
  const isHalf = (text.codePointAt(most - 1) ?? 0) > 0xffff
  return `${text.slice(0, isHalf ? most - 1 : most)}…`
}
