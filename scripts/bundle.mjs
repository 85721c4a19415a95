// Bundles what the package runs and exports into dist/bundle: some seventy files in the place of twelve hundred, which
// are found and read much sooner, and take less room. One build for all entries: what they share they share at run
// time, too, so a class is the same from every export. Packages stay outside. Classes, their methods and long functions keep
// their names, and each function begins a line, of classes each member: that is what stack traces show. Other names are
// short; `npm run stack` finds them again (docs/explain/decisions/0021-names-in-the-package.md).
// Does nothing when nothing has changed since. Part of `npm run build`.
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, isAbsolute, join, resolve } from 'node:path'
import { rolldown } from 'rolldown'
import { parseSync } from 'rolldown/utils'
import { isOutdated } from './is-outdated.mjs'

const root = resolve(import.meta.dirname, '..')
const target = join(root, 'dist/bundle')
const program = join(root, 'dist/main.js')
/** The oldest Node that the package supports. */
const NODE = 'node20.19'
/** What many share, is little and needs nothing else: a file for each would take longer to find than to read. */
const SMALL = { name: 'small', test: isSmall, minShareCount: 2 }
/**
 * Entries beside the service that read part of what it reads. Which of them need a module decides on its file: each reads
 * what it needs and little else, and the service, which reads all of it, few files.
 */
const PARTS = {
  template: ['template/index'],
  prompt: ['prompt-library/index'],
  agent: ['agent'],
  testing: ['testing'],
  command: ['cli/cli'],
  key: ['cli/key', 'cli/cluster/run-primary'],
  thread: ['main', 'util/yaml/yaml-thread', 'cli/heartbeat/watch-thread'],
}
/** The service, without what it reads later. */
const SERVICE = ['cli/serve-here']
/** Stack traces name methods, and errors are shown by the names of their classes. */
const KEPT_NAMES = { function: false, class: true }
const OUTPUT = {
  format: 'esm',
  chunkFileNames: '[name].js',
  comments: false,
  minify: {
    compress: { target: NODE, keepNames: KEPT_NAMES },
    mangle: { toplevel: true, keepNames: KEPT_NAMES },
    codegen: { removeWhitespace: true },
  },
}

const inputs = ['src', 'package.json', 'package-lock.json', 'scripts/bundle.mjs'].map((path) =>
  join(root, path),
)
if (isOutdated(program, inputs)) await bundle()

async function bundle() {
  const output = await makeBundle()
  mkdirSync(target, { recursive: true })
  for (const { fileName, code } of output)
    writeFileSync(join(target, fileName), inAscii(inLines(code, lineStarts(fileName, code))))
  const written = new Set(output.map(({ fileName }) => fileName))
  for (const file of readdirSync(target)) if (!written.has(file)) rmSync(join(target, file))
  writeFileSync(program, "#!/usr/bin/env node\nimport './bundle/main.js'\n")
  chmodSync(program, 0o755)
}

/** The files of the bundle, not in lines yet. @param {boolean} sourcemap whether each has a map of where it comes from */
export async function makeBundle(sourcemap = false) {
  const build = await rolldown({
    cwd: root,
    input: entryPoints(),
    external: (id) => !id.startsWith('.') && !isAbsolute(id),
    platform: 'node',
    // What a group without its dependencies needs; the exports of the entries stay what they are.
    preserveEntrySignatures: 'allow-extension',
    transform: { target: NODE },
    treeshake: { unknownGlobalSideEffects: false },
    optimization: { inlineConst: true },
  })
  const groups = [SMALL, sharedWithService()]
  const { output } = await build.generate({ ...OUTPUT, codeSplitting: { groups }, sourcemap })
  await build.close()
  return output.filter(({ type }) => type === 'chunk')
}

/** A file for the modules of the service that the same of the other entries need. */
function sharedWithService() {
  let parts
  let service
  return {
    debugName: 'service',
    includeDependenciesRecursively: false,
    name(id, modules) {
      service ??= reachedFrom(SERVICE, modules)
      parts ??= Object.entries(PARTS).map(([name, files]) => [name, reachedFrom(files, modules)])
      if (!service.has(id)) return null
      const sharing = parts.filter(([, reached]) => reached.has(id)).map(([name]) => name)
      return ['service', ...sharing].join('-')
    },
  }
}

/** What files import, whatever that takes in turn; not what they read later. */
function reachedFrom(files, modules) {
  const open = files.map((file) => join(root, `src/${file}.ts`))
  const found = new Set(open)
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    const imported = modules.getModuleInfo(id)?.importedIds ?? []
    for (const next of imported.filter((each) => !found.has(each))) {
      found.add(next)
      open.push(next)
    }
  }
  return found
}

function isSmall(id) {
  if (!/src[\\/]util[\\/]/.test(id)) return false
  const text = readFileSync(id, 'utf8')
  return text.length < 3_000 && !/^import /m.test(text)
}

/**
 * The same code without other characters than ASCII, on the same lines: one beyond Latin-1 makes V8 keep two bytes for each
 * character of a file, as long as the process runs. Tagged templates, which would see the difference, have none.
 */
export function inAscii(code) {
  return code.replace(/(\\*)([^\0-\x7f])/g, (_, backslashes, unit) => {
    const isEscaped = backslashes.length % 2 === 1
    return `${isEscaped ? backslashes.slice(1) : backslashes}\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}

/** The same code in lines: one line of all is what Node would print of a crash. */
function inLines(code, starts) {
  return `${starts
    .map((start, index) => code.slice(start, starts[index + 1]))
    .join('\n')
    .trim()}\n`
}

/** Where the lines of a file of the bundle begin: offsets, the first is 0. */
export function lineStarts(file, code) {
  return [...new Set([0, ...parsed(file, code).body.flatMap(linesOf)])]
}

function parsed(file, code) {
  const { program: tree, errors } = parseSync(file, code)
  if (errors.length > 0) throw new Error(`${file}: ${errors[0].message}`)
  return tree
}

/** Where lines begin: at a statement of the file, at each of several declarations, and at each member of a class. */
function linesOf({ start, body, declarations = [] }) {
  const classes = [{ body }, ...declarations.map(({ init }) => init)].filter(
    (part) => part?.body?.type === 'ClassBody',
  )
  const members = classes.flatMap((each) => each.body.body.map((member) => member.start))
  return [start, ...declarations.slice(1).map((declaration) => declaration.start), ...members].sort(
    (a, b) => a - b,
  )
}

/** `{"index": "/…/src/index.ts", …}`: what package.json exports, by the source that its types come from, the program, and its thread. */
function entryPoints() {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const exported = Object.values(exports).flatMap(({ types, default: file }) =>
    types === undefined ? [] : [[basename(file, '.js'), sourceOf(types)]],
  )
  return Object.fromEntries([
    ...exported,
    ['main', join(root, 'src/main.ts')],
    ['yaml-thread', join(root, 'src/util/yaml/yaml-thread.ts')],
    ['tests-thread', join(root, 'src/proof/tests-thread.ts')],
    ['watch-thread', join(root, 'src/cli/heartbeat/watch-thread.ts')],
  ])
}

function sourceOf(types) {
  return join(root, types.replace(/^\.\/dist\/(.*)\.d\.ts$/, 'src/$1.ts'))
}
