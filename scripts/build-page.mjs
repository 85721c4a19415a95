// Bundles the playground, src/ui, into dist/ui: small files with their hash in their name, and the page that names them.
// The styles are in the page itself, so that its first paint waits for nothing else; the policy allows them by their hash.
// All is written as it is sent to nearly everybody, compressed with Brotli.
// Does nothing when nothing has changed since.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { isOutdated } from './is-outdated.mjs'
import { pageScripts, pageStyles, ROOT as root } from './page-build.mjs'

const source = join(root, 'src/ui')
const target = join(root, 'dist/ui')
const page = join(target, 'index.html.br')

if (
  isOutdated(page, [
    source,
    join(root, 'package-lock.json'),
    import.meta.filename,
    join(root, 'scripts/page-build.mjs'),
  ])
)
  await buildPage()

async function buildPage() {
  const [scripts, css] = await Promise.all([pageScripts(), pageStyles()])
  rmSync(target, { recursive: true, force: true })
  mkdirSync(target, { recursive: true })
  for (const { fileName, code } of scripts) write(fileName, code)
  const fileOf = (name) => scripts.find((each) => each.name === name).fileName
  const html = readFileSync(join(source, 'index.html'), 'utf8')
    .replace('<link rel="stylesheet" href="ui/main.css">', () => `<style>${css}</style>`)
    .replace('boot.js', fileOf('boot'))
    .replace('main.js', fileOf('main'))
  write('icon.svg', readFileSync(join(source, 'icon.svg')))
  write('index.html', html)
}

function write(name, contents) {
  writeFileSync(join(target, `${name}.br`), brotliCompressSync(contents))
}
