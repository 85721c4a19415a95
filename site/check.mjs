// Fails if a link of the built site leads to no file, or to no place in its page. VitePress itself looks at pages only.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'

const folder = join(import.meta.dirname, 'dist')
const pages = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.html'),
)
const textOf = (page) => readFileSync(join(folder, page), 'utf8')
const base = process.env.SITE_BASE ?? '/'

/** The file of an address, or undefined if there is none. */
function fileOf(path, page) {
  const name = path.startsWith(base) ? path.slice(base.length) : join(dirname(page), path)
  const candidates = [name, `${name}.html`, join(name, 'index.html')]
  return candidates.find((each) => existsSync(join(folder, each)) && statSync(join(folder, each)).isFile())
}

const dead = []
let links = 0
for (const page of pages) {
  for (const [, href] of textOf(page).matchAll(/<a [^>]*href="(?![a-z]+:)([^"]+)"/g)) {
    links += 1
    const [path = '', place = ''] = decodeURI(href).split('#')
    const file = path === '' ? page : fileOf(path, page)
    if (file === undefined) dead.push(`${page}: ${href}`)
    else if (place !== '' && file.endsWith('.html') && !textOf(file).includes(`id="${place}"`))
      dead.push(`${page}: ${href}`)
  }
}
for (const link of dead) console.error(`dead link: ${link}`)
console.log(`${pages.length} pages, ${links} links, ${dead.length} dead`)
process.exitCode = dead.length === 0 && pages.length > 30 ? 0 : 1
