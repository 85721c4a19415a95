/** A word or turn of phrase of which a reader has to guess the meaning, and what to write in its place. */
export interface PrivateWord {
  readonly word: string
  readonly instead: string
  readonly pattern: RegExp
}

function row(word: string, instead: string, pattern: string): PrivateWord {
  return { word, instead, pattern: new RegExp(`\\b(?:${pattern})\\b`, 'i') }
}

/**
 * What prose for people does not say. `CONTRIBUTING.md` shows the list with its reasons, and tests hold documents, help,
 * messages and the descriptions of the API against it. A name in code font, such as the event `mended`, is no prose.
 */
export const PRIVATE_WORDS: readonly PrivateWord[] = [
  row('told, tells of', 'reports, lists, notifies, is published', 'told|tells? of'),
  row('mend, mended', 'fix, recovered', 'mend|mends|mended'),
  row('whoever', 'the noun: clients that …, the process that …', 'whoever'),
  row('is none, are none', 'is empty, is missing, is invalid', '(?:is|are) none'),
  row('so many', 'up to N, that many', 'so many'),
  row('goes on with, go on with', 'continues, resumes', '(?:go|goes|gone|going) on with'),
  row('anew', 'again, from scratch', 'anew'),
  row('as ever', 'as usual, unchanged', 'as ever'),
  row('of what is new', 'the term: minor garbage collection', 'of what is new'),
  row('stands, stand in', 'is, is in, replaces, matches', 'stands?|stood'),
  row('is no, are no', 'is not a valid …', '(?<!there )(?:is|are) no(?! longer| more)'),
  row('goes on, go on', 'continues, resumes', '(?:go|goes|gone|going|went) on(?! with)'),
  row('lies in', 'is in', 'lies'),
  row('parted', 'separated', 'parted'),
  row('whatever becomes of', 'even if … fails', 'whatever becomes of|bec(?:a|o)me of'),
  row('gives way', 'yields', 'gives? way|gave way'),
  row('takes back, taken back', 'retracts, rejects, undoes', '(?:takes?|taken|took) back'),
  row('tells, tell', 'reports, lists, says, distinguishes', 'tells?(?!\\s+your?\\b)'),
  row('beats', 'takes precedence over', 'beats'),
  row('is one with', 'belongs to', 'is one with'),
  row('what is under way', 'the noun: running turns, requests', 'what is under way'),
  row('colour, behaviour, judgement', 'color, behavior, rating', 'colours?|coloured|behaviours?|judgements?'),
]

/** The private words of a text, each with what stands around it. */
export function privateWordsOf(text: string, words = PRIVATE_WORDS): readonly string[] {
  return words.flatMap(({ pattern, instead }) => {
    return [...text.matchAll(new RegExp(pattern, 'gi'))].map(({ index, 0: found }) => {
      const around = text.slice(Math.max(0, index - 30), index + found.length + 30).replace(/\s+/g, ' ')
      return `"${found}" in "${around}": ${instead}`
    })
  })
}

/** Markdown without what stands in code font. */
export function proseOf(markdown: string): string {
  return markdown.replace(/^(```|~~~).*?^\1/gms, '').replace(/`[^`]*`/g, '')
}
