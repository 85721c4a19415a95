// How the page is built: shared by the build, and by what asks which packages are in it.
import { resolve } from 'node:path'

export const ROOT = resolve(import.meta.dirname, '..')

/** The options of esbuild; nothing is written. */
export const PAGE_BUILD = {
  absWorkingDir: ROOT,
  entryPoints: ['src/ui/boot.ts', 'src/ui/styles/main.css'],
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
  // Their licences are in THIRD-PARTY-NOTICES.
  legalComments: 'none',
  logLevel: 'warning',
}
