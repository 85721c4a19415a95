/** Without the characters at the end that are to go: in linear time, unlike a pattern such as `/;+$/`, which begins again at each. */
export function trimEndWhile(text: string, isTrimmed: (character: string) => boolean): string {
  let end = text.length
  while (end > 0 && isTrimmed(text.charAt(end - 1))) end -= 1
  return text.slice(0, end)
}
