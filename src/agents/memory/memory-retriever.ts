import { type KnowledgePage, type KnowledgeStore, searchedText } from './knowledge-store.js'

/** When a page counts as found, and how many are. */
export interface RetrieverConfig {
  /** Pages that score lower are left out; 0 to 1. Default 0.1. */
  readonly minScore?: number
  /** Maximum number of pages. Default 5. */
  readonly maxItems?: number
}

/** A page and how well it fits, 0 to 1. */
export interface RetrievedPage {
  readonly page: KnowledgePage
  readonly score: number
}

/** What a search found, best first. */
export interface Retrieval {
  readonly query: string
  readonly items: readonly RetrievedPage[]
}

const DEFAULT_MIN_SCORE = 0.1
const DEFAULT_MAX_ITEMS = 5

/** Words that say nothing about what is meant. */
const STOP_WORDS = new Set(
  (
    'a an and are as at be but by can do for from had has have how i if in into is it its me my no not of on or our so ' +
    'that the their them then there these they this to was we were what when where which who why will with you your ' +
    '的 了 和 是 在 有 我 你 他 她 它 们 这 那 就 也 都 与 及 或 而 吗 呢 吧 啊 把 被 让 给 对 从 到 为 以 于 上 下 个 一'
  ).split(' '),
)

/** Letters and digits of scripts that part words, and runs of scripts that do not. */
const WORDS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]+|[\p{L}\p{N}]+/gu
const CJK = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u

/** Finds pages by the words they share with a question. */
export class MemoryRetriever {
  readonly #store: KnowledgeStore
  readonly #minScore: number
  readonly #maxItems: number

  constructor(
    store: KnowledgeStore,
    { minScore = DEFAULT_MIN_SCORE, maxItems = DEFAULT_MAX_ITEMS }: RetrieverConfig = {},
  ) {
    this.#store = store
    this.#minScore = minScore
    this.#maxItems = maxItems
  }

  async search(query: string): Promise<Retrieval> {
    const wanted = termsOf(query)
    const scored = (await this.#store.listPages())
      .map((page) => ({ page, score: diceCoefficient(wanted, termsOf(searchedText(page))) }))
      .filter(({ score }) => score > 0 && score >= this.#minScore)
      .sort((one, other) => other.score - one.score || (one.page.id < other.page.id ? -1 : 1))
    return { query, items: scored.slice(0, this.#maxItems) }
  }
}

/**
 * The terms of a text: lower-case words without stop words; Chinese, Japanese and Korean runs as pairs of neighbouring
 * characters, for want of spaces.
 */
export function termsOf(text: string): ReadonlySet<string> {
  const terms = new Set<string>()
  for (const [run] of text.toLowerCase().matchAll(WORDS)) {
    if (CJK.test(run)) for (const pair of pairsOf(run)) terms.add(pair)
    else if (!STOP_WORDS.has(run)) terms.add(run)
  }
  return terms
}

/** Twice what two sets share, by what they have together: 0 to 1; 0 when one is empty. */
export function diceCoefficient(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  if (one.size === 0 || other.size === 0) return 0
  const [small, large] = one.size < other.size ? [one, other] : [other, one]
  let shared = 0
  for (const term of small) if (large.has(term)) shared += 1
  return (2 * shared) / (one.size + other.size)
}

function pairsOf(run: string): readonly string[] {
  const characters = [...run]
  const meaningful = characters.filter((character) => !STOP_WORDS.has(character))
  if (characters.length === 1) return meaningful
  if (meaningful.length === 0) return []
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`)
}
