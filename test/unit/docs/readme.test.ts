import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { COMMANDS } from '../../../src/cli/commands.js'

const root = join(import.meta.dirname, '../../..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')

const levels = (text: string) =>
  [...text.replace(/```[\s\S]*?```/g, '').matchAll(/^(#+) /gm)].map(([, mark]) => mark)
const requests = (text: string) =>
  [...text.matchAll(/^\| (`(?:GET|POST|PUT).*?) \|/gm)].map(([, cell]) => cell)

/** What is read, and not run or looked at: without blocks of code and the targets of links. */
const wordsToRead = (text: string) =>
  text
    .replace(/^(`{3,})[\s\S]*?^\1$/gm, '')
    .replace(/\]\([^)]*\)/g, ']')
    .split(/\s+/)
    .filter((word) => /[\p{L}\d]/u.test(word)).length

const WORDS_A_MINUTE = 200

describe('README in both languages', () => {
  it('is read in eight minutes', () => {
    const words = wordsToRead(read('README.md'))
    expect(words).toBeGreaterThan(1_000)
    expect(words / WORDS_A_MINUTE).toBeLessThanOrEqual(8)
  })

  it('docs/command-line.md has a row for every command, in the order of --help', () => {
    const [table = ''] = read('docs/command-line.md').split('\n## ')
    const rows = [...table.matchAll(/^\| `(\w+)[^|]*` \|/gm)].map(([, name]) => name)
    expect(rows).toEqual(COMMANDS.map(({ name }) => name))
  })

  it('has the same sections', () => {
    expect(levels(read('README.zh-CN.md'))).toEqual(levels(read('README.md')))
  })

  it('has a row for the same requests', () => {
    const paths = (file: string) => requests(read(file)).flatMap((cell) => cell?.match(/\/[\w/{}.-]+/g) ?? [])
    expect(paths('README.md').length).toBeGreaterThan(20)
    expect([...new Set(paths('README.zh-CN.md'))].sort()).toEqual([...new Set(paths('README.md'))].sort())
  })
})
