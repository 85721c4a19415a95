import { constants } from 'node:fs'
import { access, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { PACKAGE_ROOT } from '../util/package-root.js'
import { VERSION } from '../util/packages/version.js'
import { type Command, EXIT, PROGRAM, UsageError } from './command.js'

/** The first project, as the package ships it, and the JSON Schemas that editors check it with. */
const STARTER = fileURLToPath(new URL('examples/starter', PACKAGE_ROOT))
const SCHEMAS = fileURLToPath(new URL('schemas', PACKAGE_ROOT))
const SCHEMA_FOLDER = '.schemas'
/** Schemas of files that are settings: a project has none. */
const OF_SETTINGS = /-file\.json$/
/** Placeholder for the version that CI runs: the one that created the project. */
const VERSION_MARK = `${PROGRAM}@VERSION`
/** Files named in a message. */
const MAX_NAMED = 3

/** `init`: a folder with a first project. */
export const init: Command = {
  usage: ['init <folder>'],
  about: `Creates a folder with a first project: a prompt, a partial that it includes, shared context, an agent, tests, JSON
Schemas for editors, a CI workflow and a README. Never overwrites a file.`,
  options: {},
  examples: ['init my-prompts', 'init .'],
  positionals: [1, 1],
  async run([folder = ''], _values, { stdout }) {
    const files = await projectFiles()
    const existing = await existingFiles(folder, [...files.keys()])
    if (existing.length > 0)
      throw new UsageError(
        `${folder} already has ${existing.slice(0, MAX_NAMED).join(', ')}${existing.length > MAX_NAMED ? ', …' : ''}: nothing was written; name a new folder`,
      )
    for (const [path, text] of files) await writeNew(join(folder, path), text)
    stdout(summaryOf(folder, [...files.keys()]))
    return EXIT.ok
  },
}

/** The text of each file, by its path in the project. */
async function projectFiles(): Promise<ReadonlyMap<string, string>> {
  const project = await textsBelow(STARTER, '')
  const schemas = (await textsBelow(SCHEMAS, SCHEMA_FOLDER)).filter(([path]) => !OF_SETTINGS.test(path))
  const all = [...project, ...schemas].map(
    ([path, text]) => [path, text.replaceAll(VERSION_MARK, `${PROGRAM}@${VERSION}`)] as const,
  )
  return new Map(all.sort(([a], [b]) => (a < b ? -1 : 1)))
}

async function textsBelow(root: string, target: string): Promise<readonly (readonly [string, string])[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true })
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ name, parentPath }) => join(parentPath, name))
  return Promise.all(
    files.map(async (file) => [join(target, relative(root, file)), await readFile(file, 'utf8')] as const),
  )
}

async function existingFiles(folder: string, paths: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(
    paths.map((path) =>
      access(join(folder, path), constants.F_OK).then(
        () => [path],
        () => [],
      ),
    ),
  )
  return found.flat()
}

async function writeNew(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, text, { flag: 'wx' })
}

function summaryOf(folder: string, paths: readonly string[]): string {
  const isHere = folder === '.'
  const next = [
    ...(isHere ? [] : [[`cd ${folder}`, '']]),
    [`npx ${PROGRAM} .`, 'serve it, and open http://127.0.0.1:8080'],
    [`npx ${PROGRAM} render hello.greeting --catalog . -v name=Ada`, 'print a prompt'],
    [`npx ${PROGRAM} check . --watch`, 'see mistakes while you write'],
    [`npx ${PROGRAM} test .`, 'run the tests of prompts'],
  ]
  const width = Math.max(...next.map(([command = '']) => command.length))
  return [
    `Created in ${isHere ? 'this folder' : folder}:`,
    ...paths.map((path) => `  ${path}`),
    '',
    'Next:',
    ...next.map(([command = '', what]) => `  ${command.padEnd(width)}  ${what}`.trimEnd()),
    '',
  ].join('\n')
}
