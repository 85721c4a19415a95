import { describe, expect, it } from 'vitest'
import { FieldPhrase, Phrase } from '../../../src/template/code/phrase.js'
import { compile } from '../../../src/template/index.js'

describe('phrases of code', () => {
  it('are made once for an index, but for those of long programs', () => {
    let made = 0
    const phrase = new Phrase((index) => {
      made++
      return `f(site${index});`
    })
    for (const index of [0, 3, 0, 3, 1_000, 1_000]) expect(phrase.at(index)).toBe(`f(site${index});`)
    expect(made).toBe(4)
  })

  it('read a field of the variable that they were made for, not of one made of it', () => {
    const read = new FieldPhrase('item4', 'list0')
    expect(read.at(7)).toBe('((value=item4?.[name7])!==undefined?value:run.field(fieldSite8,item4,list0))')
    expect(read.isOf({ local: 'item4', container: 'list0' })).toBe(true)
    expect(read.isOf({ local: 'element', container: 'list0' })).toBe(false)
    expect(read.isOf({ local: 'item4', container: '' })).toBe(false)
  })

  it('say the same in programs of any length', () => {
    const one = '{{.a}}-{{.b.c}}{{range .d}}[{{.a}}{{$.a}}]{{end}}{{with .b}}{{.c}}{{else}}x{{end}};'
    const data = { a: 1, b: { c: 'two' }, d: [{ a: 'three' }, { a: 4 }] }
    const text = '1-two[three1][41]two;'
    for (const times of [1, 2, 20, 60])
      expect(compile(one.repeat(times)).renderSync(data)).toBe(text.repeat(times))
  })
})
