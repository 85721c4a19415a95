// How the page is built: shared by the build, and by what asks which packages are in it.
import { resolve } from 'node:path'
import { build } from 'esbuild'
import { rolldown } from 'rolldown'

export const ROOT = resolve(import.meta.dirname, '..')

const BROWSERS = ['chrome123', 'firefox120', 'safari17.5']
/** What opens the page is one file: a browser asks for six at a time, and each takes its own time. */
const FIRST = { name: 'main', test: /src[\\/]ui[\\/]main\.tsx$/, includeDependenciesRecursively: true }
/** What is asked for before that file is read; it takes these modules from here. */
const EARLY = { name: 'boot', test: /src[\\/]ui[\\/](boot|api[\\/]early)\.ts$/, priority: 1 }
/** The editor's commands import syntax trees. Of these, none is used here, and importing them does nothing else. */
const UNUSED = /node_modules[\\/]@(?:lezer|codemirror[\\/]language)[\\/]/

/** The scripts of the page, `boot` and what it loads, each with a hash of what is in it in its name. */
export async function pageScripts() {
  const bundle = await rolldown({
    cwd: ROOT,
    input: { boot: 'src/ui/boot.ts' },
    platform: 'browser',
    tsconfig: 'src/ui/tsconfig.json',
    treeshake: { moduleSideEffects: (id) => !UNUSED.test(id) },
    transform: { target: BROWSERS },
  })
  const { output } = await bundle.generate({
    format: 'esm',
    entryFileNames: '[name]-[hash].js',
    chunkFileNames: '[name]-[hash].js',
    hashCharacters: 'base36',
    codeSplitting: { groups: [EARLY, FIRST] },
    // Their licences are in THIRD-PARTY-NOTICES.
    comments: false,
    minify: true,
  })
  await bundle.close()
  return output
}

/** All styles of the page, as one text. */
export async function pageStyles() {
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
    entryPoints: ['src/ui/styles/main.css'],
    bundle: true,
    minify: true,
    write: false,
    target: BROWSERS,
    charset: 'utf8',
    logLevel: 'warning',
  })
  return outputFiles[0].text.trim()
}
