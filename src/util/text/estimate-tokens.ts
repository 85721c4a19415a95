/** Characters of most scripts that a token holds, on average over common tokenizers, rounded to the safe side. */
export const CHARACTERS_PER_TOKEN = 4
/** Chinese, Japanese and Korean characters take about half a token each, and up to one. */
const WIDE_PER_TOKEN = 1.5
const WIDE = /[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]/g

/** Roughly how many tokens a text is, without a tokenizer: one pass, whatever the text. */
export function estimateTokens(text: string): number {
  let wide = 0
  for (const _ of text.matchAll(WIDE)) wide += 1
  return Math.ceil((text.length - wide) / CHARACTERS_PER_TOKEN + wide / WIDE_PER_TOKEN)
}
