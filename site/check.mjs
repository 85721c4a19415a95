// Fails if a link of the built site leads to no file, or to no place in its page. VitePress itself looks at pages only.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const folder = join(import.meta.dirname, 'dist')
const files = new Set(
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1)),
)
const pages = new Map(
  [...files]
    .filter((name) => name.endsWith('.html'))
    .map((name) => [name, readPage(readFileSync(join(folder, name), 'utf8'))]),
)
const base = process.env.SITE_BASE ?? '/'

/** Where a page links to within the site, and the places that links can lead to. */
function readPage(text) {
  const valuesOf = (pattern) => [...text.matchAll(pattern)].map(([, value]) => value)
  return {
    links: valuesOf(/<a [^>]*href="(?![a-z]+:)([^"]+)"/g).map((link) => decodeURI(link)),
    places: new Set(valuesOf(/\bid="([^"]+)"/g)),
  }
}

/** The file of an address, or undefined if there is none. */
function fileOf(path, page) {
  if (path === '') return page
  const name = path.startsWith(base) ? path.slice(base.length) : join(dirname(page), path)
  return [name, `${name}.html`, join(name, 'index.html')].find((each) => files.has(each))
}

function isDead(link, page) {
  const [path = '', place = ''] = link.split('#')
  const file = fileOf(path, page)
  if (file === undefined) return true
  return place !== '' && pages.get(file)?.places.has(place) === false
}

const links = [...pages].flatMap(([page, { links }]) => links.map((link) => ({ page, link })))
const dead = links.filter(({ page, link }) => isDead(link, page))
for (const { page, link } of dead) console.error(`dead link: ${page}: ${link}`)
console.log(`${pages.size} pages, ${links.length} links, ${dead.length} dead`)
process.exitCode = dead.length === 0 && pages.size > 30 ? 0 : 1
