// Writes the pages of the library with TypeDoc: for each entry of package.json's exports every name, with types and comments.
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { Application } from 'typedoc'
import { ENTRIES } from './library-entries.mjs'

const root = resolve(import.meta.dirname, '..')
const target = join(import.meta.dirname, 'pages/reference/api')
const served = join(import.meta.dirname, 'pages/public/reference/api')

/** The page that TypeDoc writes for a source: named for the file, or for its folder if it is an index. */
function writtenPage(source) {
  const [name, folder] = source.split('/').reverse()
  return name === 'index.ts' && folder !== 'src' ? folder : basename(name, '.ts')
}

/** Writes all pages of the library, and a list of them. */
async function writeLibrary() {
  const written = join(target, 'written')
  const app = await Application.bootstrapWithPlugins({
    plugin: ['typedoc-plugin-markdown'],
    entryPoints: ENTRIES.map(({ source }) => join(root, source)),
    tsconfig: join(import.meta.dirname, 'tsconfig.json'),
    // `npm run typecheck` does that.
    skipErrorChecking: true,
    outputFileStrategy: 'modules',
    readme: 'none',
    disableSources: true,
    excludePrivate: true,
    hideGenerator: true,
    hidePageHeader: true,
    hideBreadcrumbs: true,
    parametersFormat: 'table',
    interfacePropertiesFormat: 'table',
    classPropertiesFormat: 'table',
    typeDeclarationFormat: 'table',
    // A name is on a page if a program can import it.
    validation: { notExported: false, invalidLink: false },
    outputs: [{ name: 'markdown', path: written }],
  })
  const project = await app.convert()
  if (project === undefined) throw new Error('TypeDoc read no library')
  await app.generateOutputs(project)
  mkdirSync(served, { recursive: true })
  for (const { name, page, source } of ENTRIES) {
    const text = readFileSync(join(written, `${writtenPage(source)}.md`), 'utf8')
    if (!/^### /m.test(text)) throw new Error(`TypeDoc found no name of ${name}`)
    write(page, withNames(text, name))
  }
  write('index', indexPage())
  rmSync(written, { recursive: true })
}

function write(page, text) {
  writeFileSync(join(target, `${page}.md`), text)
  copyFileSync(join(target, `${page}.md`), join(served, `${page}.md`))
}

/** The page under the name that programs import, with links to pages under their names here. */
function withNames(text, name) {
  const pages = new Map(ENTRIES.map(({ source, page }) => [writtenPage(source), page]))
  const headings = new Map()
  for (const [, id] of text.toLowerCase().matchAll(/^#+ ([a-z]+)$/gm))
    headings.set(id, (headings.get(id) ?? 0) + 1)
  return (
    text
      .replace(/^# .*$/m, `# ${name}`)
      .replace(/\]\(([\w-]+)\.md/g, (all, page) => (pages.has(page) ? `](${pages.get(page)}.md` : all))
      // TypeDoc numbers a heading also after a member in a table, which has none.
      .replace(/\]\(#([a-z]+)-1\)/g, (all, id) => (headings.get(id) === 1 ? `](#${id})` : all))
  )
}

function indexPage() {
  const rows = ENTRIES.map(({ name, page }) => `- [\`${name}\`](${page}.md)`)
  return `# Library API\n\nEvery name that a program can import, by entry. How they are used is in [the library](../library.md).\n\n${rows.join('\n')}\n`
}

await writeLibrary()
