import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../..')

/** A block of code in a document. */
export interface DocumentBlock {
  /** `docs/guides/chat.md:26`: the file and the line of its fence. */
  readonly place: string
  readonly file: string
  readonly language: string
  readonly code: string
  /** What an invisible comment `<!-- before … -->` right above it says: what a reader has by then. */
  readonly before: string
}

/** The documents that have examples. */
export const DOCUMENTS: readonly string[] = [
  'README.md',
  'README_zh-CN.md',
  'SECURITY.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && !name.includes('decisions'))
    .map((name) => `docs/${name}`)
    .toSorted(),
]

/** Every fenced block of these languages, in the order of the documents; `''` are those without one. */
export function documentBlocks(...languages: readonly string[]): readonly DocumentBlock[] {
  return DOCUMENTS.flatMap(blocksOf).filter(({ language }) => languages.includes(language))
}

/** The languages of all blocks that have one. */
export function documentLanguages(): ReadonlySet<string> {
  return new Set(DOCUMENTS.flatMap(blocksOf).flatMap(({ language }) => (language === '' ? [] : [language])))
}

function blocksOf(file: string): readonly DocumentBlock[] {
  const text = readFileSync(join(root, file), 'utf8')
  const fences = /(?:<!-- before\n([\s\S]*?)-->\n)?^(`{3,})(\w*)\n([\s\S]*?)^\2$/gm
  return [...text.matchAll(fences)].map(([all, before = '', fence = '', language = '', code = ''], index) => {
    const start = text.indexOf(all) + all.indexOf(`${fence}${language}\n`)
    const line = text.slice(0, start).split('\n').length
    return { place: `${file}:${line}`, file, language, code, before, index }
  })
}
