import { mkdir } from 'node:fs/promises'
import { loadConfig } from '../config.js'
import { breaksDocument } from '../registry/diagnostics.js'
import { createDirectoryWriter } from '../store/directory-writer.js'
import { openRedisWriter } from '../store/redis-writer.js'
import { isLabelKind } from '../store/store.js'
import { counted } from '../util/text/counted.js'
import { assertDirectory, assertRedisUrl, openCatalog } from './catalog-source.js'
import {
  type CliContext,
  type Command,
  type CommandOptions,
  EXIT,
  type OptionValues,
  UsageError,
} from './command.js'
import {
  DOCUMENT_FORMATS,
  type DocumentFormat,
  isUnsafeKey,
  readDirectoryDocuments,
  writeDirectoryDocuments,
} from './directory-documents.js'
import { compareDocuments, type DocumentChange, describeChange } from './document-diff.js'
import { formatDiagnostic } from './finding-format.js'
import { copyLife, withoutLife } from './life/copy-life.js'
import { textOption } from './option-values.js'
import { openRedisDocuments } from './redis-documents.js'

const OPTIONS = {
  'dry-run': { type: 'boolean', help: 'only show what differs' },
  prune: { type: 'boolean', help: 'also delete what the source does not have' },
  versions: {
    type: 'boolean',
    help: 'also versions and labels that the target lacks; none is changed or deleted',
  },
  prefix: { type: 'string', value: '<prefix>', help: 'first part of every key, instead of KEY_PREFIX' },
} as const satisfies CommandOptions

/** `push`: a directory into Redis. */
export const push: Command = {
  usage: ['push <directory> <redis url> [options]'],
  about: `Shows what differs, then writes the directory into Redis. Checks the directory first and writes nothing if there are
errors. Keys that the directory lacks stay in Redis, unless --prune deletes them. Versions and labels are left alone,
unless --versions adds those that Redis lacks.`,
  options: {
    ...OPTIONS,
    force: { type: 'boolean', help: 'write despite errors; files that cannot be read are left out' },
  },
  examples: [
    'push my-prompts redis://localhost:6379 --dry-run',
    'push my-prompts redis://localhost:6379 --prune',
  ],
  positionals: [2, 2],
  async run([directory, url], values, context) {
    const { from, to, prefix } = places(directory, url, values, context)
    assertDirectory(from)
    if (!(await isPushable(from, values, context))) return EXIT.failed
    const source = await readDirectoryDocuments(from, prefix)
    const heads = withoutLife(source.documents, prefix)
    const redis = await openRedisDocuments(to, prefix)
    try {
      const readable = new Map([...(await redis.read())].filter(([key]) => !source.unreadable.has(key)))
      const known = withoutLife(readable, prefix)
      const changes = compareDocuments(heads, known, values['prune'] === true)
      const code = await finish(changes, values, context, () => redis.apply(changes))
      noteOfKept(
        [...known.keys()].filter((key) => !heads.has(key)),
        values,
        context,
      )
      noteOfLife(
        [...source.documents.keys()].filter((key) => !heads.has(key) && !readable.has(key)),
        values,
        context,
      )
      if (values['versions'] === true)
        await copyLife(createDirectoryWriter(from), await openRedisWriter(to, prefix), values, context)
      return code
    } finally {
      redis.close()
    }
  },
}

/** Checks a directory like `check` and reports what keeps it from being pushed. */
async function isPushable(directory: string, values: OptionValues, context: CliContext): Promise<boolean> {
  const isForced = values['force'] === true
  const shell = await openCatalog(context, directory)
  try {
    const errors = (await shell.findings.all()).filter(
      (finding) => breaksDocument(finding) && (values['versions'] === true || !isLabelKind(finding.kind)),
    )
    for (const error of errors) context.stderr(`${formatDiagnostic(error, 'text')}\n`)
    if (errors.length > 0 && !isForced)
      context.stderr(`nothing was written: ${counted(errors.length, 'error')}; fix them, or use --force\n`)
    return errors.length === 0 || isForced
  } finally {
    await shell.close()
  }
}

/** `pull`: Redis into a directory. */
export const pull: Command = {
  usage: ['pull <redis url> <directory> [options]'],
  about: `Shows what differs, then writes the catalog of a Redis into a directory. Files keep their format. Files that Redis
lacks stay, unless --prune deletes them. Versions and labels are left alone, unless --versions adds those that the
directory lacks.`,
  options: {
    ...OPTIONS,
    format: {
      type: 'string',
      value: '<format>',
      help: `of new files: ${DOCUMENT_FORMATS.join(' or ')}; default: json`,
    },
  },
  examples: ['pull redis://localhost:6379 my-prompts --format yaml'],
  positionals: [2, 2],
  async run([url, directory], values, context) {
    const { from, to, prefix } = places(directory, url, values, context)
    const format = formatOf(textOption(values, 'format') ?? 'json')
    await mkdir(from, { recursive: true })
    const redis = await openRedisDocuments(to, prefix)
    try {
      const source = withoutLife(await redis.read(), prefix)
      const unsafe = [...source.keys()].filter((key) => isUnsafeKey(key, prefix))
      for (const key of unsafe) context.stderr(`${key}: has no safe file name, left out\n`)
      const target = await readDirectoryDocuments(from, prefix)
      const safe = new Map([...source].filter(([key]) => !unsafe.includes(key)))
      const changes = compareDocuments(safe, withoutLife(target.documents, prefix), values['prune'] === true)
      const code = await finish(changes, values, context, () =>
        writeDirectoryDocuments(from, changes, { prefix, files: target.files, format }),
      )
      if (values['versions'] === true)
        await copyLife(await openRedisWriter(to, prefix), createDirectoryWriter(from), values, context)
      return unsafe.length > 0 ? EXIT.failed : code
    } finally {
      redis.close()
    }
  },
}

/** @throws UsageError */
function formatOf(text: string): DocumentFormat {
  const format = DOCUMENT_FORMATS.find((known) => known === text)
  if (format === undefined)
    throw new UsageError(`--format ${text}: must be one of ${DOCUMENT_FORMATS.join(', ')}`)
  return format
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

/** Keys that the directory lacks, which serve on. */
function noteOfKept(keys: readonly string[], { prune }: OptionValues, { stderr }: CliContext): void {
  if (prune === true || keys.length === 0) return
  stderr(`kept ${counted(keys.length, 'key')} that the directory lacks; --prune deletes them\n`)
}

/** Versions and labels of the directory, which nobody gets who reads from Redis. */
function noteOfLife(keys: readonly string[], { versions }: OptionValues, { stderr }: CliContext): void {
  if (versions === true || keys.length === 0) return
  stderr(
    `left out ${counted(keys.length, 'version or label', 'versions and labels')} that Redis lacks; --versions adds them\n`,
  )
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
