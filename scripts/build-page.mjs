// Bundles the playground, src/ui, into dist/ui: small files with their hash in their name, and the page that names them.
// Does nothing when nothing has changed since.
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { build } from 'esbuild'

const root = resolve(import.meta.dirname, '..')
const source = join(root, 'src/ui')
const target = join(root, 'dist/ui')
const page = join(target, 'index.html')

const inputs = [...filesOf(source), join(root, 'package-lock.json'), import.meta.filename]
if (newest([page]) < newest(inputs)) await buildPage()

async function buildPage() {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: ['src/ui/main.tsx', 'src/ui/styles/main.css'],
    outdir: 'dist/ui',
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    minify: true,
    metafile: true,
    write: false,
    target: ['chrome123', 'firefox120', 'safari17.5'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    charset: 'utf8',
    legalComments: 'none',
    logLevel: 'warning',
  }).then(({ outputFiles, metafile }) => {
    rmSync(target, { recursive: true, force: true })
    mkdirSync(target, { recursive: true })
    for (const { path, contents } of outputFiles) writeFileSync(path, contents)
    return { metafile }
  })
  const outputs = Object.entries(metafile.outputs)
  const script = outputs.find(([, { entryPoint }]) => entryPoint === 'src/ui/main.tsx')
  const style = outputs.find(([, { entryPoint }]) => entryPoint === 'src/ui/styles/main.css')
  const preloads = script[1].imports
    .filter(({ kind }) => kind === 'import-statement')
    .map(({ path }) => `<link rel="modulepreload" href="ui/${basename(path)}">`)
  const html = readFileSync(join(source, 'index.html'), 'utf8')
    .replace('main.css', basename(style[0]))
    .replace('main.js', basename(script[0]))
    .replace('<!-- preloads -->', preloads.join(''))
  writeFileSync(join(target, 'icon.svg'), readFileSync(join(source, 'icon.svg')))
  writeFileSync(page, html)
}

function filesOf(directory) {
  return readdirSync(directory, { recursive: true, withFileTypes: true }).flatMap((entry) =>
    entry.isFile() ? [join(entry.parentPath, entry.name)] : [],
  )
}

/** When the newest of these was written; 0 when one is missing. */
function newest(files) {
  const times = files.map((file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0)
  return times.includes(0) ? 0 : Math.max(...times)
}
