import { mkdir } from 'node:fs/promises'
import { loadConfig } from '../config.js'
import { assertDirectory, isRedisUrl } from './catalog-source.js'
import { type CliContext, type Command, EXIT, type OptionValues, UsageError } from './command.js'
import { isUnsafeKey, readDirectoryDocuments, writeDirectoryDocuments } from './directory-documents.js'
import { compareDocuments, type DocumentChange, describeChange } from './document-diff.js'
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
  name: 'push',
  summary: 'write a catalog directory into Redis',
  help: `push <directory> <redis url> [options]\n${OPTION_HELP}`,
  options: OPTIONS,
  positionals: [2, 2],
  async run([directory, url], values, context) {
    const { from, to, prefix } = places(directory, url, values, context)
    assertDirectory(from)
    const source = await readDirectoryDocuments(from, prefix)
    if (source.problems.length > 0) {
      context.stderr(`${source.problems.join('\n')}\nnothing was written\n`)
      return EXIT.failed
    }
    const redis = await openRedisDocuments(to, prefix)
    try {
      const changes = compareDocuments(source.documents, await redis.read(), values['prune'] === true)
      return await finish(changes, values, context, () => redis.apply(changes))
    } finally {
      redis.close()
    }
  },
}

/** `pull`: Redis into a directory. */
export const pull: Command = {
  name: 'pull',
  summary: 'write the catalog of a Redis into a directory',
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
  if (!isRedisUrl(to)) throw new UsageError(`${JSON.stringify(to)} is not a redis url`)
  const prefix = (values['prefix'] as string | undefined) ?? loadConfig({ environment }).keyPrefix
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
