const CONTROL = /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]+/g
/** Characters of two columns: those of East Asia, and symbols in color. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u

/** Text of others as one line of a terminal: without the characters that move the cursor, change colors or reverse text. */
export function printable(text: string): string {
  return text.replace(CONTROL, ' ').trim()
}

/** Cut to a number of columns, with an ellipsis where something is left out. */
export function fitting(text: string, columns: number): string {
  let width = 0
  let fits = ''
  for (const character of text) {
    const next = WIDE.test(character) ? 2 : 1
    if (width + next > columns - 1)
      return width + next === columns && text === fits + character ? text : `${fits}…`
    width += next
    fits += character
  }
  return text
}
