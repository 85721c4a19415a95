/** Text in which nothing needs escaping inside a JSON string. */
export const CLEAN_JSON = /^[^"\\\x00-\x1f\ud800-\udfff]*$/

/** The text as the inside of a JSON string; lone surrogates stay, for the output to resolve. */
export function escapeJson(text: string): string {
  if (CLEAN_JSON.test(text)) return text
  if (text.isWellFormed()) return JSON.stringify(text).slice(1, -1)
  return text.replace(/["\\\x00-\x1f]+/g, (part) => JSON.stringify(part).slice(1, -1))
}
