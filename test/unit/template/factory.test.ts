import { describe, expect, it } from 'vitest'
import { compileApart, compileSource } from '../../../src/template/code/factory.js'
import { keyOf, type Source, sourceText } from '../../../src/template/code/source.js'
import { GO_RULES } from '../../../src/template/dialects/go/rules.js'
import { helpersFor } from '../../../src/template/run/operations.js'

const helpers = helpersFor(GO_RULES)
const PADDING = ' '.repeat(200)

/** Source of one function that returns a number, whose place is not looked at to tell sources apart. */
function returning(number: number): Source {
  return { body: `return[()=>${PADDING}${number}]`, helpers: [], names: [] }
}

function resultOf(source: Source): unknown {
  const [make] = compileSource<() => unknown>(source).factory([], helpers, [])
  return make?.()
}

describe('compiled sources', () => {
  it('are told apart, also where the characters that are looked at are the same', () => {
    const sources = Array.from({ length: 8 }, (_, index) => returning(index + 1))
    expect(new Set(sources.map(keyOf)).size).toBeLessThan(sources.length)
    expect(sources.map(resultOf)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
    expect(sources.map(resultOf)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
  })

  it('are told apart by what they are given', () => {
    const body = 'return[()=>typeof isTrue]'
    expect(resultOf({ body, helpers: [], names: [] })).toBe('undefined')
    expect(resultOf({ body, helpers: ['isTrue'], names: [] })).toBe('function')
  })

  it('are shared by programs of one shape, until one is compiled apart', () => {
    const source: Source = { body: 'return[text0]', helpers: [], names: ['text0'] }
    const first = compileSource<string>(source)
    expect(first.isShared()).toBe(false)
    const second = compileSource<string>({ ...source })
    expect([first.isShared(), second.isShared()]).toEqual([true, true])
    expect(first.factory([], helpers, ['a'])).toEqual(['a'])
    expect(second.factory([], helpers, ['b'])).toEqual(['b'])
    expect(compileApart<string>(source)([], helpers, ['c'])).toEqual(['c'])
  })

  it('are kept while they are used, and forgotten in time when they are not', () => {
    const used: Source = { body: 'return["used"]', helpers: [], names: [] }
    const unused: Source = { body: 'return["unused"]', helpers: [], names: [] }
    const keptOf = (source: Source) => compileSource({ ...source }).source
    const [kept, first] = [keptOf(used), keptOf(unused)]
    for (let n = 0; n < 1_000; n++) {
      compileSource({ body: `return[${'0'.repeat(n)}]`, helpers: [], names: [] })
      expect(keptOf(used)).toBe(kept)
    }
    expect(keptOf(unused)).not.toBe(first)
  })

  it('take their names in one order', () => {
    expect(sourceText({ body: 'return[]', helpers: ['print'], names: ['text0', 'name1'] })).toBe(
      '(templates,print,text0,name1)=>{return[]}',
    )
  })
})
