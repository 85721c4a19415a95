// Collects the pages of the site: the files of docs/, the README in both languages, SECURITY, CHANGELOG and CONTRIBUTING.
// VitePress reads one folder, so links to other files of the repository are turned into links to copies of them.
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, normalize, relative, resolve } from 'node:path'
import { ENTRIES } from './library-entries.mjs'

const root = resolve(import.meta.dirname, '..')
const target = join(import.meta.dirname, 'pages')
/** Where files are that the site does not have, such as https://github.com/owner/name/blob/main; without it they are no links. */
const source = process.env.SITE_SOURCE ?? ''
/** Where the site lives, for sites below a path. */
const base = process.env.SITE_BASE ?? '/'

/** The page of the site for each file of the repository. */
export const PAGES = new Map([
  ['README.md', 'index.md'],
  ['README_zh-CN.md', 'zh/index.md'],
  ['docs/README.md', 'pages.md'],
  ['SECURITY.md', 'security.md'],
  ['CHANGELOG.md', 'changelog.md'],
  ['CONTRIBUTING.md', 'contributing.md'],
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => name.endsWith('.md') && name !== 'README.md')
    .map((name) => [`docs/${name}`, name.replace(/\.zh-CN\.md$/, '.md').replace(/README\.md$/, 'index.md')])
    .map(([file, page]) => [file, file.endsWith('.zh-CN.md') ? `zh/${page}` : page]),
])

/** Writes all pages, their pictures and files, and what language models read. */
export function collect() {
  rmSync(target, { recursive: true, force: true })
  mkdirSync(join(target, 'public/files'), { recursive: true })
  cpSync(join(root, 'docs/images'), join(target, 'images'), { recursive: true })
  for (const [file, page] of PAGES) {
    const text = withLinks(readFileSync(join(root, file), 'utf8'), file, page)
    write(join(target, page), text)
    write(join(target, 'public', page), text)
  }
  write(join(target, 'public/llms.txt'), llms())
}

function write(path, text) {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

/** Links outside of code: to the page of a file, to its copy, or to the repository. */
function withLinks(text, file, page) {
  return text
    .split(/(^(?:`{3,})[\s\S]*?^`{3,}$)/m)
    .map((part, index) => (index % 2 === 1 ? part : linked(part, file, page)))
    .join('')
}

function linked(text, file, page) {
  return text
    .replace(
      /\[((?:[^\][]|\[[^\]]*\])*)\]\((?![a-z]+:|#)([^)\s#]*)(#[^)\s]*)?\)/g,
      (_all, words, path, place = '') => {
        const to = addressOf(normalize(join(dirname(file), path)), page)
        return to === undefined ? words : `[${words}](${to}${place})`
      },
    )
    .replace(/src="(?![a-z]+:)([^"]+)"/g, (_all, path) => {
      return `src="${addressOf(normalize(join(dirname(file), path)), page)}"`
    })
}

function addressOf(file, page) {
  const name = file.replace(/\/$/, '')
  const known = PAGES.get(name) ?? PAGES.get(`${name}/README.md`)
  if (known !== undefined) return relativeTo(page, known)
  if (name.startsWith('docs/images/')) return relativeTo(page, name.slice('docs/'.length))
  const path = join(root, name)
  if (!existsSync(path)) throw new Error(`${page} links to ${name}, which does not exist`)
  if (statSync(path).isDirectory() || name.endsWith('.md'))
    return source === '' ? undefined : `${source}/${name}`
  cpSync(path, join(target, 'public/files', name), { recursive: true })
  return `/files/${name}`
}

function relativeTo(page, other) {
  const path = relative(dirname(page), other)
  return path.startsWith('.') ? path : `./${path}`
}

/** https://llmstxt.org: every page with what it is for, as docs/README.md lists them. */
function llms() {
  const list = readFileSync(join(root, 'docs/README.md'), 'utf8')
  const title =
    '# AI-Prompt-Shell\n\n> A service for prompts, agents and tasks: Go templates on live data, over REST, OpenAI, Anthropic and MCP.\n'
  const rows = list.split('\n').flatMap((line) => {
    const heading = /^## (.*)/.exec(line)?.[1]
    if (heading !== undefined) return ['', `## ${heading}`, '']
    const [, cell, use] = /^\| (\[.*?) \| (.*) \|$/.exec(line) ?? []
    if (cell === undefined) return []
    return [...cell.matchAll(/\[([^\]]+)\]\(([^)#]+)/g)].flatMap(([, name, path]) => {
      const page = PAGES.get(normalize(join('docs', path)))
      return page === undefined ? [] : [`- [${name}](${base}${page}): ${plain(use)}`]
    })
  })
  const library = ENTRIES.map(
    ({ name, page }) => `- [${name}](${base}reference/api/${page}.md): every name, with its types`,
  )
  return `${title}${rows.join('\n')}\n\n## Library API\n\n${library.join('\n')}\n`
}

function plain(text) {
  return text.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1')
}

if (process.argv[1] === import.meta.filename) collect()
