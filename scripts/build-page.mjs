// Bundles the playground, src/ui, into dist/ui: small files with their hash in their name, and the page that names them.
// The styles are in the page itself, so that its first paint waits for nothing else; the policy allows them by their hash.
// All is written as it is sent to nearly everybody, compressed with Brotli.
// Does nothing when nothing has changed since.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { build } from 'esbuild'
import { isOutdated } from './is-outdated.mjs'
import { PAGE_BUILD, ROOT as root } from './page-build.mjs'

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
  const { metafile, css } = await build(PAGE_BUILD).then(({ outputFiles, metafile }) => {
    rmSync(target, { recursive: true, force: true })
    mkdirSync(target, { recursive: true })
    for (const { path, contents } of outputFiles) if (!path.endsWith('.css')) write(basename(path), contents)
    return { metafile, css: outputFiles.find(({ path }) => path.endsWith('.css')).text }
  })
  const outputs = Object.entries(metafile.outputs)
  const made = (source) => outputs.find(([, { entryPoint }]) => entryPoint === source)
  const [main, { imports }] = made('src/ui/main.tsx')
  const needed = imports.filter(({ kind }) => kind === 'import-statement').map(({ path }) => path)
  const preloads = [main, ...needed].map((path) => `<link rel="modulepreload" href="ui/${basename(path)}">`)
  const html = readFileSync(join(source, 'index.html'), 'utf8')
    .replace('<link rel="stylesheet" href="ui/main.css">', () => `<style>${css}</style>`)
    .replace('boot.js', basename(made('src/ui/boot.ts')[0]))
    .replace('<!-- preloads -->', preloads.join(''))
  write('icon.svg', readFileSync(join(source, 'icon.svg')))
  write('index.html', html)
}

function write(name, contents) {
  writeFileSync(join(target, `${name}.br`), brotliCompressSync(contents))
}
