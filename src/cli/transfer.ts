import { mkdir } from 'node:fs/promises'
import { loadConfig } from '../config.js'
import { breaksDocument } from '../registry/diagnostics.js'
import { assertDirectory, assertRedisUrl, openCatalog } from './catalog-source.js'
import { type CliContext, type Command, EXIT, type OptionValues } from './command.js'
import { isUnsafeKey, readDirectoryDocuments, writeDirectoryDocuments } from './directory-documents.js'
import { compareDocuments, type DocumentChange, describeChange } from './document-diff.js'
import { formatFinding } from './finding-format.js'
import { textOption } from './option-values.js'
import { openRedisDocuments } from './redis-documents.js'

const OPTIONS = {
  'dry-run': { type: 'boolean' },
  prune: { type: 'boolean' },
  prefix: { type: 'string' },
} as const
const OPTION_HELP = `

Shows what differs, then writes it.

      --dry-run           only show
      --prune             also delete what the source does not have
      --prefix <prefix>   first part of every key, instead of KEY_PREFIX`

/** `push`: a directory into Redis. */
export const push: Command = {
  help: `push <directory> <redis url> [options]

Checks the directory first and writes nothing if there are errors.${OPTION_HELP}
      --force             write in spite of errors; files that cannot be read are left out`,
  options: { ...OPTIONS, force: { type: 'boolean' } },
  positionals: [2, 2],
  async run([directory, url], values, context) {
    const { from, to, prefix } = places(directory, url, values, context)
    assertDirectory(from)
    if (!(await isPushable(from, values['force'] === true, context))) return EXIT.failed
    const source = await readDirectoryDocuments(from, prefix)
    const redis = await openRedisDocuments(to, prefix)
    try {
      const known = [...(await redis.read())].filter(([key]) => !source.unreadable.has(key))
      const changes = compareDocuments(source.documents, new Map(known), values['prune'] === true)
      return await finish(changes, values, context, () => redis.apply(changes))
    } finally {
      redis.close()
    }
  },
}

/** Checks a directory as `check` does; what keeps it from being pushed is told. */
async function isPushable(directory: string, isForced: boolean, context: CliContext): Promise<boolean> {
  const shell = await openCatalog(context, directory)
  try {
    const errors = (await shell.findings.all()).filter(breaksDocument)
    for (const error of errors) context.stderr(`${formatFinding(error, 'text')}\n`)
    if (errors.length > 0 && !isForced)
      context.stderr(
        `nothing was written: ${errors.length} ${errors.length === 1 ? 'error' : 'errors'}, --force writes all the same\n`,
      )
    return errors.length === 0 || isForced
  } finally {
    await shell.close()
  }
}

/** `pull`: Redis into a directory. */
export const pull: Command = {
  help: `pull <redis url> <directory> [options]\n${OPTION_HELP}`,
  options: OPTIONS,
  positionals: [2, 2],
  async run([url, directory], values, context) {
    const { from, to, prefix } = places(directory, url, values, context)
    await mkdir(from, { recursive: true })
    const redis = await openRedisDocuments(to, prefix)
    try {
      const source = await redis.read()
      const unsafe = [...source.keys()].filter((key) => isUnsafeKey(key, prefix))
      for (const key of unsafe) context.stderr(`${key}: has no safe file name, left out\n`)
      const target = await readDirectoryDocuments(from, prefix)
      const safe = new Map([...source].filter(([key]) => !unsafe.includes(key)))
      const changes = compareDocuments(safe, target.documents, values['prune'] === true)
      const code = await finish(changes, values, context, () =>
        writeDirectoryDocuments(from, prefix, target.files, changes),
      )
      return unsafe.length > 0 ? EXIT.failed : code
    } finally {
      redis.close()
    }
  },
}

function places(
  directory: string | undefined,
  url: string | undefined,
  values: OptionValues,
  { environment }: CliContext,
): { readonly from: string; readonly to: string; readonly prefix: string } {
  const from = directory ?? ''
  const to = url ?? ''
  assertRedisUrl(to)
  const prefix = textOption(values, 'prefix') ?? loadConfig({ environment }).keyPrefix
  return { from, to, prefix }
}

async function finish(
  changes: readonly DocumentChange[],
  values: OptionValues,
  { stdout }: CliContext,
  apply: () => Promise<void>,
): Promise<number> {
  for (const change of changes) stdout(`${describeChange(change)}\n`)
  const count = (kind: DocumentChange['kind']) => changes.filter((change) => change.kind === kind).length
  const summary = `${count('added')} added, ${count('changed')} changed, ${count('removed')} removed`
  const isDry = values['dry-run'] === true
  if (!isDry && changes.length > 0) await apply()
  stdout(`${isDry ? 'would be: ' : ''}${summary}\n`)
  return EXIT.ok
}
