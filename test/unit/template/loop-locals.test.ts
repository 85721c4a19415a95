import { describe, expect, it } from 'vitest'
import { loopLocalsFrom } from '../../../src/template/code/loop-locals.js'
import { compile } from '../../../src/template/index.js'

describe('locals of loops', () => {
  it.each([0, 5, 7, 99, 100, 1_000])('have their numbers, from %d on', (first) => {
    const locals = loopLocalsFrom(first)
    const names = ['list', 'cursor', 'index', 'length', 'item'].map(
      (word, index) => `${word}${first + index}`,
    )
    expect(locals.declared).toBe(`,${names.join(',')}`)
    expect(loopLocalsFrom(first)).toEqual(locals)
  })

  it('are the own of each loop, however many there are', () => {
    const loop = (inside: string) => `{{range $i, $x := .list}}{{$i}}${inside}{{$x}},{{end}}`
    const lists = { list: ['a', 'b'] }
    const inner = '0a,1b,'
    const source = `${loop('')}${loop(`{{range $.list}}{{.}}{{end}}`)}`.repeat(30)
    expect(compile(source).renderSync(lists)).toBe(`${inner}0aba,1abb,`.repeat(30))
  })
})
