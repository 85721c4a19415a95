import { createRequire } from 'node:module'
import { LRUCache } from 'lru-cache'
import { describe, expect, it, vi } from 'vitest'
import { compileForHost } from '../../../../src/template/compile.js'
import { functionLibrary } from '../../../../src/template/library/function-library.js'
import { TokenEncoding } from '../../../../src/template/library/token-encoding.js'
import { TokenRanks } from '../../../../src/template/library/token-ranks.js'
import { runSlice, SliceStopped, unguarded } from '../../../../src/util/slices/slice.js'
import { createRandom } from '../../../support/random.js'
import { someRuns } from '../../../support/some-runs.js'

vi.setConfig({ testTimeout: 60_000 })

/** What the package that brings the tokens makes of a text itself. */
interface Encoder {
  encode(text: string, options: { readonly disallowedSpecial: ReadonlySet<string> }): number[]
}

const reference: Encoder = createRequire(import.meta.url)('gpt-tokenizer/cjs/encoding/o200k_base')
const encoding = new TokenEncoding()

const TEXTS = [
  '',
  'The quick brown fox jumps over the lazy dog.\n\n\tThen it sleeps, doesn’t it? 1234567 + 89',
  '<|endoftext|> is text, and so is <|im_start|>',
  '日本語の文章、한국어 문장, русский текст und ein deutscher Satz mit Umlauten: äöüß',
  'e\u0301 👩‍👩‍👧‍👦 🏳️‍🌈 \ud800 alone and \udc00',
  'const value = [...list].map((item) => `${item}`) // code\r\n\r\n   if (a) { b() }\n',
  `${'x'.repeat(300)} ${'=-'.repeat(100)} ${' '.repeat(90)}end`,
]
const PIECES = [...'aZé日👍 \n\t\r.,\'"1\ud83d\u00ad', ' the', 'ing', "'ll", 'Ünï', '  ', '\n\n', 'مرحبا']

function expectTheSame(text: string): void {
  const expected = reference.encode(text, { disallowedSpecial: new Set() })
  expect(encoding.pairs.encode(text), JSON.stringify(text)).toEqual(expected)
}

describe('the token encoding', () => {
  it('keeps nothing that a stopped slice was about to remember', () => {
    const text = 'unerhörtesWort'
    expectTheSame('Ein anderesWort, so that everything is read')
    const set = vi.spyOn(LRUCache.prototype, 'set').mockImplementation(function (
      this: LRUCache<string, readonly number[]>,
      key: string,
    ) {
      set.mockRestore()
      this.set(key, [1])
      throw new SliceStopped(50)
    } as LRUCache<string, readonly number[]>['set'])
    expect(() => runSlice(unguarded, () => encoding.pairs.encode(text))).toThrow(SliceStopped)
    expectTheSame(text)
  })

  it.each(TEXTS)('makes the tokens of %j that the package makes', expectTheSame)

  it('makes the same tokens of whatever is put together', () => {
    const random = createRandom(7)
    for (let round = 0; round < someRuns(3_000); round += 1)
      expectTheSame(Array.from({ length: 1 + random.below(25) }, () => random.pick(PIECES)).join(''))
  })

  it.each(TEXTS)('makes the text of the tokens of %j', (text) => {
    expect(encoding.pairs.decode(encoding.pairs.encode(text))).toBe(text.toWellFormed())
  })

  it('is read in pieces by who can wait, and only once', async () => {
    const own = new TokenEncoding()
    let turns = 0
    const count = (): void => {
      turns += 1
      if (!own.isLoaded) setImmediate(count)
    }
    setImmediate(count)
    await Promise.all([own.load(), own.load()])
    expect(turns).toBeGreaterThan(3)
    const { pairs } = own
    await own.load()
    expect(own.pairs).toBe(pairs)
  })

  it('counts to the same number in a render that waits for it and in one that cannot', async () => {
    const template = compileForHost('{{tokens .}} {{truncateTokens 3 .}}', { functions: functionLibrary })
    const text = TEXTS[1]
    const waited = await template.render(text)
    expect(waited).toBe(template.renderSync(text))
  })
})

describe('the ranks of tokens', () => {
  const ranksOf = (...pieces: readonly string[]) => {
    const ranks = new TokenRanks(pieces.join('').length)
    for (const piece of pieces) ranks.add(Buffer.from(piece))
    return ranks
  }

  it('are read piece by piece, of bytes that have one, two and three in the last group', () => {
    const ranks = ranksOf('IQ== 0\nISE= 1\n', 'ISEh 2\nISEhIQ== 3\n')
    expect(['!', '!!', '!!!', '!!!!'].map((text) => ranks.rankOf(text))).toEqual([0, 1, 2, 3])
    expect([0, 1, 2, 3].map((rank) => ranks.widthOf(rank))).toEqual([1, 2, 3, 4])
    expect(Buffer.from(ranks.bytesOf(3)).toString()).toBe('!!!!')
    expect(ranks.rankOf('!!!!!')).toBeUndefined()
    expect(ranks.rankOf('!\0')).toBeUndefined()
    expect(() => ranks.bytesOf(4)).toThrow('there is no token 4')
  })

  it.each(['IQ== 1\n', 'IQ== 0', 'IQ==', 'IQ== 0\nISE= 3\n', 'IQ==  0\n'])('are not those of %j', (file) => {
    expect(() => ranksOf(file)).toThrow(RangeError)
  })
})
