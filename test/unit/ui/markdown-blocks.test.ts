import { describe, expect, it } from 'vitest'
import { type Block, blocksOf } from '../../../src/ui/parts/markdown-blocks.js'

/** Blocks as one line: `h2(…)`, `p(…)`, `ul[p(…)|…]`. */
function outline(blocks: readonly Block[]): string {
  return blocks.map(one).join(' ')
}

function one(block: Block): string {
  switch (block.kind) {
    case 'paragraph':
      return `p(${block.text})`
    case 'heading':
      return `h${block.level}(${block.text})`
    case 'code':
      return `code(${block.text})`
    case 'rule':
      return 'hr'
    case 'quote':
      return `quote[${outline(block.blocks)}]`
    case 'list':
      return `${block.start === undefined ? 'ul' : `ol${block.start}`}[${block.items.map(outline).join('|')}]`
    case 'table':
      return `table(${block.rows.map((cells) => cells.join(',')).join(';')})`
  }
}

describe('Markdown as blocks', () => {
  it.each([
    ['two paragraphs', 'One\nline.\n\nTwo.', 'p(One\nline.) p(Two.)'],
    ['a heading below a sentence', 'Text\n## Title ##\nMore', 'p(Text) h2(Title) p(More)'],
    ['no heading without a space', '#tag', 'p(#tag)'],
    ['a list below a sentence', 'See:\n- one\n- two', 'p(See:) ul[p(one)|p(two)]'],
    ['a list in a list', '- one\n  - in it\n  - too\n- two', 'ul[p(one) ul[p(in it)|p(too)]|p(two)]'],
    ['steps with points', '3. a\n   - b\n4. c', 'ol3[p(a) ul[p(b)]|p(c)]'],
    ['an item of two lines', '- one\n  goes on\n- two', 'ul[p(one\ngoes on)|p(two)]'],
    ['an item with code', '- one\n  ```js\n  let x\n  ```\n- two', 'ul[p(one) code(let x)|p(two)]'],
    ['items with blank lines between', '1. a\n\n2. b\n\nEnd', 'ol1[p(a)|p(b)] p(End)'],
    ['points after steps', '1. a\n- b', 'ol1[p(a)] ul[p(b)]'],
    ['a fence that is not closed', 'a\n```\nb', 'p(a) code(b)'],
    ['a fence in a longer fence', '````\n```\nx\n```\n````', 'code(```\nx\n```)'],
    ['a quote with a list', '> said\n> - a\n\nby', 'quote[p(said) ul[p(a)]] p(by)'],
    ['rules, and no list', '---\n* * *\n- a', 'hr hr ul[p(a)]'],
    ['a table below a sentence', 'T\n| a | b |\n|---|:-:|\n| 1 | x \\| y |', 'p(T) table(a,b;1,x | y)'],
    ['nothing', '', ''],
    ['a lone mark', '-', 'ul[]'],
  ])('%s', (_, text, expected) => {
    expect(outline(blocksOf(text))).toBe(expected)
  })

  it('ends, whatever is written', () => {
    const pieces = ['- ', '> ', '```', '# ', '1. ', '| a |', '\n', '  ', 'x', '---', '~~~']
    for (let seed = 1; seed < 3_000; seed += 1) {
      let state = seed
      const text = Array.from({ length: 12 }, () => {
        state = (state * 48_271) % 2_147_483_647
        return pieces[state % pieces.length]
      }).join('')
      expect(Array.isArray(blocksOf(text))).toBe(true)
    }
  })
})
