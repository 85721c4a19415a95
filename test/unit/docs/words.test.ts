import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { helpOf, overview } from '../../../src/cli/command-help.js'
import { COMMANDS } from '../../../src/cli/commands.js'
import { en } from '../../../src/ui/texts/en.js'
import { PRIVATE_WORDS, privateWordsOf, proseOf } from '../../support/private-words.js'
import { publishedApi } from '../../support/published-api.js'

const root = join(import.meta.dirname, '../../..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const below = (folder: string, ending: string) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith(ending))
    .map((file) => join(folder, file))

/** Of all words of the list; the first nine alone were 457 in version 0.1.0. Above 0, so that a branch that was begun before can be merged. */
const MAX_IN_COMMENTS = 20

/** A comment that begins with another one: in an editor it is read alone. */
const LEANS_ON_ANOTHER =
  /\/\*\*\s+(?:\* )?The same(?:[,;.]| (?:for|in|of|as|at|to|with|without|where|whose|between|under|while|up to|by|after|before|like|same)\b)/g

/** It lists the words themselves. */
const STYLE_GUIDE = 'CONTRIBUTING.md'
/** Those that describe the command line, settings, functions, errors and metrics are made of what the code says. */
const DOCUMENTS = [
  'README.md',
  'SECURITY.md',
  'CHANGELOG.md',
  ...below('docs', '.md'),
  ...below('deploy', '.md'),
  ...below('examples/starter', '.md'),
  ...below('.github', '.md'),
  ...below('.github/ISSUE_TEMPLATE', '.yml'),
  'action/action.yml',
]

/** The comments of a source, each in one line. */
function commentsOf(text: string): readonly string[] {
  const comments = text.match(/\/\*[\s\S]*?\*\/|(?:^[ \t]*\/\/.*\n)+/gm) ?? []
  return comments.map((comment) => comment.replaceAll(/\n\s*(?:\*|\/\/) ?/g, ' '))
}

const LITERAL = /'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\]|\\.)*)`|"((?:[^"\\\n]|\\.)*)"/g

/** The texts of several words in a source, without what is inserted and what is quoted. */
function messagesOf(text: string): readonly string[] {
  const code = text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/^[ \t]*\/\/.*$/gm, '')
  return [...code.matchAll(LITERAL)]
    .map(([, single, template, double]) => single ?? template ?? double ?? '')
    .map((each) => each.replaceAll(/\\`[^`]*\\`|`[^`]*`|\$\{[^}]*\}/g, ''))
    .filter((each) => each.trim().split(' ').length > 2)
}

/** Their comments are descriptions of the API. */
const isGenerated = (text: string) => /^\/\/ (?:Generated|Written) by /.test(text)

/** Every text of a value below keys of these names. */
function textsOf(value: unknown, keys: ReadonlySet<string>, isShown = false): readonly string[] {
  if (typeof value === 'string') return isShown ? [value] : []
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, each]) => textsOf(each, keys, isShown || keys.has(key)))
}

const parsed = (file: string): unknown => (file.endsWith('.json') ? JSON.parse(read(file)) : publishedApi())
const DESCRIBED = new Set(['description', 'summary', 'title'])
const foundIn = (name: string, texts: readonly string[]) =>
  texts.flatMap((text) => privateWordsOf(proseOf(text)).map((found) => `${name}: ${found}`))

describe('what people read says it in plain words', () => {
  it.each(DOCUMENTS)('%s', (file) => {
    expect(foundIn(file, [read(file)])).toEqual([])
  })

  it('the descriptions of the API and of documents', () => {
    const described = ['openapi.yaml', ...below('schemas', '.json')].flatMap((file) => {
      const texts = textsOf(parsed(file), DESCRIBED)
      expect(texts.length).toBeGreaterThan(0)
      return foundIn(file, texts)
    })
    expect(described).toEqual([])
  })

  it('the client in Python', () => {
    const text = read('clients/python/ai_prompt_shell.py')
    const said = [...text.matchAll(/"""([\s\S]*?)"""|#:? (.*)/g)].map(([, one, other]) => one ?? other ?? '')
    expect(said.length).toBeGreaterThan(30)
    expect(foundIn('ai_prompt_shell.py', said)).toEqual([])
  })

  it('the texts of the page', () => {
    const texts = textsOf({ title: en }, DESCRIBED)
    expect(texts.length).toBeGreaterThan(100)
    expect(foundIn('page', texts)).toEqual([])
  })

  it('the help of every command', async () => {
    const commands = await Promise.all(COMMANDS.map(({ load }) => load()))
    const texts = [overview(), ...commands.map(helpOf)]
    expect(texts.length).toBeGreaterThan(25)
    expect(foundIn('help', texts)).toEqual([])
  })

  it('the messages that are written in the code', () => {
    const sources = below('src', '.ts').filter((file) => !/^src\/ui\//.test(file))
    const found = sources.flatMap((file) => {
      const text = read(file)
      return isGenerated(text) ? [] : foundIn(file, messagesOf(text))
    })
    expect(found).toEqual([])
    expect(foundIn('x', messagesOf("fail(`a ${'b'} is no prompt of ours`) // is no comment"))).toHaveLength(1)
  })

  it('the comments on what programs import, which editors show', () => {
    const declarations = below('dist', '.d.ts').filter((file) => !file.includes('.declarations'))
    expect(declarations.length).toBeGreaterThan(0)
    const found = declarations.flatMap((file) => foundIn(file, commentsOf(read(file))))
    expect(found).toEqual([])
  })

  it('the comments of the code', () => {
    const sources = [...below('src', '.ts'), ...below('src', '.tsx')]
    expect(sources.length).toBeGreaterThan(500)
    const found = sources.flatMap((file) => {
      const text = read(file)
      return isGenerated(text) ? [] : foundIn(file, commentsOf(text))
    })
    expect(found.length, found.join('\n')).toBeLessThanOrEqual(MAX_IN_COMMENTS)
  })

  it('no comment that means nothing without the one above it', () => {
    const sources = [...below('src', '.ts'), ...below('src', '.tsx')]
    const found = sources.flatMap((file) => {
      const text = read(file)
      if (isGenerated(text)) return []
      return [...text.matchAll(LEANS_ON_ANOTHER)].map(([start]) => `${file}: ${start}`)
    })
    expect(found).toEqual([])
    expect('/** The same for lists. */'.match(LEANS_ON_ANOTHER)).not.toBeNull()
    expect('/** The same key with the same body is the same turn. */'.match(LEANS_ON_ANOTHER)).toBeNull()
  })

  it('finds each word of the list, and not in code font', () => {
    for (const { word } of PRIVATE_WORDS) {
      const [first = ''] = word.split(', ')
      expect(privateWordsOf(`This ${first} that`)).toHaveLength(1)
      expect(privateWordsOf(proseOf(`This \`${first}\` that`))).toEqual([])
    }
  })

  it('the style guide has the list that is held', () => {
    const rows = [...read(STYLE_GUIDE).matchAll(/^\| \*(.+?)\* \| (.+?) \|$/gm)].map(([, word, instead]) => ({
      word,
      instead,
    }))
    expect(rows).toEqual(PRIVATE_WORDS.map(({ word, instead }) => ({ word, instead })))
  })
})
