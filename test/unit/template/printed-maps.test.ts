import { describe, expect, it } from 'vitest'
import { compile } from '../../../src/template/index.js'

const printed = compile('{{range .}}{{.}};{{end}}')

function print(...maps: unknown[]): string {
  return printed.renderSync(maps)
}

/** What Go prints of a map whose names sort the same in UTF-16. */
function slowly(map: Readonly<Record<string, unknown>>): string {
  const members = Object.keys(map)
    .toSorted()
    .map((name) => `${name}:${String(map[name])}`)
  return `map[${members.join(' ')}];`
}

describe('a map that is printed', () => {
  it('has its members in the order of Go, however often others were printed before', () => {
    const maps = Array.from({ length: 300 }, (_, index) => {
      const names = Array.from({ length: index % 20 }, (__, place) => `n${(place * 7 + index) % 23}`)
      return Object.fromEntries(names.map((name, place) => [name, index + place]))
    })
    for (const map of [...maps, ...maps.toReversed()]) expect(print(map, map)).toBe(slowly(map).repeat(2))
  })

  it('is not taken for another whose names are as long', () => {
    expect(print({ ab: 1, cd: 2 }, { ac: 1, bd: 2 }, { cd: 2, ab: 1 }, { bd: 2, ac: 1 })).toBe(
      'map[ab:1 cd:2];map[ac:1 bd:2];map[ab:1 cd:2];map[ac:1 bd:2];',
    )
    expect(print({ a: 1 }, { b: 1 }, { a: 1, b: 2 }, {}, { '': 3 }, { b: 1 })).toBe(
      'map[a:1];map[b:1];map[a:1 b:2];map[];map[:3];map[b:1];',
    )
  })

  it('sorts its names by their bytes', () => {
    const map = { '\uffee': 1, '😀': 2, a: 3 }
    for (let round = 0; round < 2; round++) expect(print(map)).toBe('map[a:3 \uffee:1 😀:2];')
  })

  it('keeps nothing of its values, and of long names nothing either', () => {
    const name = 'long'.repeat(1_000)
    for (let round = 0; round < 3; round++) {
      expect(print({ a: round, [name]: -round })).toBe(`map[a:${round} ${name}:${-round}];`)
    }
  })

  it('has maps in it of the same names, and lists', () => {
    const inner = { a: 1, b: [2, 'x'] }
    expect(print({ a: inner, b: { a: inner, b: null } })).toBe(
      'map[a:map[a:1 b:[2 x]] b:map[a:map[a:1 b:[2 x]] b:<nil>]];',
    )
  })
})
