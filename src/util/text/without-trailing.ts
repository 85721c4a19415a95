/** A text without the characters of this one kind at its end. A pattern such as `/x+$/` would look at every run of them again. */
export function withoutTrailing(text: string, character: string): string {
  let end = text.length
  while (end > 0 && text[end - 1] === character) end -= 1
  return text.slice(0, end)
}
