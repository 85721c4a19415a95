/** An end of a piece of text that is not between the two halves of one character: the given one, or the next. */
export function endOfCharacter(text: string, end: number): number {
  const code = text.charCodeAt(end - 1)
  return code >= 0xd800 && code <= 0xdbff ? end + 1 : end
}
