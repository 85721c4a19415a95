/** Of a text that somebody else sent, for a message to people, in characters. */
const EXCERPT_LENGTH = 300
/** White space within an excerpt is joined; what comes after this many characters is not looked at. */
const LOOKED_AT = 4 * EXCERPT_LENGTH

/** The beginning of a text, in one line. */
export function excerpt(text: string): string {
  return text.slice(0, LOOKED_AT).replace(/\s+/g, ' ').trim().slice(0, EXCERPT_LENGTH)
}
