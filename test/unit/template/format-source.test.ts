import { describe, expect, it } from 'vitest'
import { formatSource } from '../../../src/template/code/format-source.js'

/** A name of as many characters. */
const name = (letter: string, length: number) => letter.repeat(length)
const [a, b, c] = [name('a', 50), name('b', 50), name('c', 50)] as const
/** Fits a line with a second one and an operator between, to the character. */
const [half, rest] = [name('h', 58), name('r', 58)] as const

/** Every way to break a line, each with one that just fits. */
const ROWS: readonly { readonly name: string; readonly source: string; readonly lines: readonly string[] }[] =
  [
    {
      name: 'a line of exactly the width stays one',
      source: `${half}||${name('r', 57)};`,
      lines: [`${half} || ${name('r', 57)};`],
    },
    {
      name: 'one character more, and it is broken',
      source: `${half}||${rest};`,
      lines: [half, `  || ${rest};`],
    },
    {
      name: 'each operand of a long chain has a line, which its operator begins',
      source: `${a}||${b}||${c};`,
      lines: [a, `  || ${b}`, `  || ${c};`],
    },
    {
      name: 'what binds least is broken first, and the rest only where it is long itself',
      source: `${a}&&x||${b}&&${c}&&y||z;`,
      lines: [`${a} && x`, `  || ${b} && ${c} && y`, '  || z;'],
    },
    {
      name: 'an operand that is too long is broken below its own',
      source: `x||${a}&&${b}&&${c};`,
      lines: ['x', `  || ${a}`, `    && ${b}`, `    && ${c};`],
    },
    {
      name: 'a choice is broken at both of its marks before what it chooses by',
      source: `${a}||x?${b}:${c};`,
      lines: [`${a} || x`, `  ? ${b}`, `  : ${c};`],
    },
    {
      name: 'names that are declared together fill lines, below the first',
      source: `let ${a},${b},${c},x;`,
      lines: [`let ${a}, ${b},`, `  ${c}, x;`],
    },
    {
      name: 'members of a list fill lines, one below the other',
      source: `f(${a},${b},${c},x);`,
      lines: ['f(', `  ${a}, ${b},`, `  ${c}, x`, ');'],
    },
    {
      name: 'operators within brackets break nothing outside of them',
      source: `f(${a}||${b}||${c});`,
      lines: ['f(', `  ${a}`, `    || ${b}`, `    || ${c}`, ');'],
    },
    {
      name: 'of several brackets those with the most words are opened',
      source: `f(x,y,z)[${a},${b},x,y](z,x,y);`,
      lines: ['f(x, y, z)[', `  ${a}, ${b}, x, y`, '](z, x, y);'],
    },
    {
      name: 'brackets that hold little stay in their line, however long it is',
      source: `${a}[${b},x](${c});`,
      lines: [`${a}[${b}, x](${c});`],
    },
    {
      name: 'brackets after those that were opened are opened in turn',
      source: `f(${a},${b},x,y)[${b},${c},${a}];`,
      lines: ['f(', `  ${a}, ${b}, x, y`, ')[', `  ${b}, ${c},`, `  ${a}`, '];'],
    },
    {
      name: 'the indent of a block does not count',
      source: `if(x){${half}||${name('r', 57)};}`,
      lines: ['if (x) {', `  ${half} || ${name('r', 57)};`, '}'],
    },
  ]

describe('long lines of generated code', () => {
  it.each(ROWS)('$name', ({ source, lines }) => {
    expect(formatSource(source)).toEqual(lines)
  })
})
