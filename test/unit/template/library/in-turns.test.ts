import { describe, expect, it } from 'vitest'
import { rewrite } from '../../../../src/template/format/rewrite.js'
import { compile, functionLibrary } from '../../../../src/template/index.js'
import { LIBRARY_FUNCTIONS } from '../../../../src/template/library/function-library.js'
import { turnsOfOthers } from '../../../support/turns-of-others.js'

const functions = functionLibrary
const upper = Object.fromEntries(functions)

describe('a text that is rewritten in pieces', () => {
  it.each(['"', '😀"', 'a😀', 'é'])('is the same as in one: %j', (piece) => {
    const text = piece.repeat(16_000) + 'x'.repeat(200_000)
    const pattern = /["😀é]/gu
    const replacement = (found: string) => `<${found}>`
    expect(rewrite(text, pattern, replacement)).toBe(text.replace(pattern, replacement))
  })

  it('is refused as soon as there are too many places', () => {
    let asked = 0
    const count = () => {
      asked += 1
      return ''
    }
    expect(() => rewrite('"'.repeat(4_000_000), /"/g, count)).toThrow('more than 32768 places to rewrite')
    expect(asked).toBeLessThan(33_000)
  })
})

describe('the tokens of a long text', () => {
  it('are counted in the call, which later calls of the slice see, and then in turns of their own', async () => {
    const found = LIBRARY_FUNCTIONS.find(({ name }) => name === 'tokens')
    const count = found?.call as ((scope: object, text: string) => Promise<number>) | undefined
    const text = 'word '.repeat(5_000)
    await compile('{{tokens "a"}}', { functions }).render({})
    const done: string[] = []
    const scope = {
      maxWidth: 1,
      mayWait: true,
      giveWay: async () => void done.push('gives way'),
      slice: <Result>(work: () => Result) => {
        done.push('counts')
        return work()
      },
    }
    expect(await count?.(scope, text)).toBe(5_001)
    expect(done).toEqual(['gives way', 'counts', 'gives way', 'counts'])
  })
})

describe('a search that takes long', () => {
  // Long enough for several slices, however fast the machine.
  const data = { text: `a b${'c'.repeat(20)} `.repeat(8_300) }
  const ROWS = [
    { source: '{{regexReplaceAll " +" .text "-"}}', expected: `a-b${'c'.repeat(20)}-`.repeat(8_300) },
    { source: '{{len (regexSplit "b" .text -1)}}', expected: '8301' },
    { source: '{{len (regexFindAll "a" .text -1)}}', expected: '8300' },
  ]
  it.each(ROWS)('lets others run in between: $source', async ({ source, expected }) => {
    let said = ''
    const turns = await turnsOfOthers(async () => {
      said = await compile(source, { functions }).render(data)
    })
    expect(said).toBe(expected)
    expect(turns).toBeGreaterThan(1)
  })

  it('goes on when its result is work for another function', async () => {
    const call = () => new Promise((resolve) => setTimeout(resolve, 20, 'a'.repeat(60_000)))
    const template = compile('{{range 20}}{{upper (slow) | len}} {{end}}', {
      functions: { slow: { call, parameters: [] }, ...upper },
    })
    expect(await template.render({})).toBe('60000 '.repeat(20))
  })

  it.each(ROWS)('is the same in a render that cannot wait: $source', async ({ source }) => {
    const template = compile(source, { functions })
    const short = { text: 'a b b ' }
    expect(template.renderSync(short)).toBe(await template.render(short))
  })
})

describe('what is made by a number', () => {
  it('waits for its turn while others wait', async () => {
    const template = compile('{{range 40}}{{$x := until 100000}}{{end}}', { functions })
    const turns = await turnsOfOthers(() => template.render({}))
    expect(turns).toBeGreaterThan(4)
  })

  it('is counted when it is a dict, too', async () => {
    const large = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`key${index}`, index]))
    const template = compile('{{range 40}}{{$x := len $.large}}{{end}}', { functions })
    const turns = await turnsOfOthers(() => template.render({ large }))
    expect(turns).toBeGreaterThan(3)
  })

  it('is refused before it is made', () => {
    const chunks = compile('{{$l := until 30000}}{{len (chunk 1 $l)}}', { functions })
    expect(() => chunks.renderSync({})).toThrow('20000')
  })
})
