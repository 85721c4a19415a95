import { readFile } from 'node:fs/promises'
import { basename, extname } from 'node:path'
import { errorMessage } from '../../util/errors/error-message.js'
import { trimEndWhile } from '../../util/text/trim-end-while.js'
import { CATALOG_OPTION } from '../catalog-option.js'
import { type CliContext, type Command, EXIT, type OptionValues, UsageError } from '../command.js'
import { atDesk, type Desk } from '../life/desk.js'
import { isUrl } from '../location.js'
import { textOption } from '../option-values.js'
import type { Imported, ImportSource } from './imported.js'
import { readDotprompt } from './read-dotprompt.js'
import { readLangfuse } from './read-langfuse.js'
import { readOpenai } from './read-openai.js'
import { readPromptfoo } from './read-promptfoo.js'
import { readPrompty } from './read-prompty.js'

const READERS: Readonly<Record<string, (source: ImportSource) => readonly Imported[]>> = {
  langfuse: readLangfuse,
  promptfoo: readPromptfoo,
  dotprompt: readDotprompt,
  openai: readOpenai,
  prompty: readPrompty,
}
const FORMATS = Object.keys(READERS)
const FETCH_TIMEOUT_MS = 20_000

/** `import`: prompts of other tools. */
export const importPrompts: Command = {
  usage: [`import <${FORMATS.join('|')}> <file or url> [options]`],
  about: `Writes prompts of another tool into the catalog, and reports what could not be converted. A prompt with templates that
cannot be converted is skipped and named; existing prompts are never overwritten. Requests to Langfuse's API use
LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY.`,
  options: {
    ...CATALOG_OPTION,
    under: {
      type: 'string',
      value: '<name>',
      help: 'first part of the ids; default: the name of the format',
    },
    'dry-run': { type: 'boolean', help: 'only show what would be written' },
    json: { type: 'boolean', help: 'print the report as JSON' },
  },
  examples: [
    'import prompty basic.prompty --catalog my-prompts --under support',
    "import langfuse 'https://cloud.langfuse.com/api/public/v2/prompts/movie-critic' --dry-run",
  ],
  positionals: [2, 2],
  async run([format = '', place = ''], values, context) {
    const read = Object.hasOwn(READERS, format) ? READERS[format] : undefined
    if (read === undefined) throw new UsageError(`${format}: the formats are ${FORMATS.join(', ')}`)
    const found = parsed(read, place, await textAt(place, context))
    if (found.length === 0) throw new UsageError(`${place} has no prompts in the format ${format}`)
    return atDesk(values, context, (desk) => write(desk, found, idsFor(found, values, format)))
  },
}

/** The parts of each prompt's id, none twice. */
function idsFor(
  found: readonly Imported[],
  values: OptionValues,
  format: string,
): readonly (readonly string[])[] {
  const first = partOf(textOption(values, 'under') ?? format)
  const taken = new Map<string, number>()
  return found.map(({ name }) => {
    const part = partOf(name)
    const count = (taken.get(part) ?? 0) + 1
    taken.set(part, count)
    return [first, count === 1 ? part : `${part}_${count}`]
  })
}

/** A part of an id that is safe as a key and as a file. */
function partOf(name: string): string {
  const safe = name.replace(/[^\p{L}\d_-]+/gu, '_').replace(/^[_-]+/, '')
  return trimEndWhile(safe, (character) => character === '_' || character === '-') || 'prompt'
}

async function write(
  { writer, isDry, isJson, stdout }: Desk,
  found: readonly Imported[],
  paths: readonly (readonly string[])[],
): Promise<number> {
  const rows: { readonly id: string; readonly state: string; readonly notes: readonly string[] }[] = []
  for (const [index, { document, notes }] of found.entries()) {
    const path = paths[index] ?? []
    const address = { kind: 'templates', path }
    const isThere = document !== undefined && (await writer.read(address)) !== undefined
    const isNew = document !== undefined && !isThere && (isDry || (await writer.create(address, document)))
    const state = document === undefined ? 'left out' : isNew ? 'written' : 'is there already'
    rows.push({ id: path.join('.'), state: isDry && isNew ? 'would be written' : state, notes })
  }
  if (isJson) stdout(`${JSON.stringify(rows, null, 2)}\n`)
  else
    for (const { id, state, notes } of rows)
      stdout([`${id}  ${state}`, ...notes.map((note) => `  ${note}`), ''].join('\n'))
  return rows.every(({ state }) => /written$/.test(state)) ? EXIT.ok : EXIT.failed
}

/** @throws UsageError for a text that is not of the format */
function parsed(
  read: (source: ImportSource) => readonly Imported[],
  place: string,
  text: string,
): readonly Imported[] {
  const name = basename(/^[^?#]*/.exec(place)?.[0] ?? '')
  try {
    return read({ text, stem: name.slice(0, name.length - extname(name).length) || 'prompt' })
  } catch (error) {
    throw new UsageError(`${place}: ${errorMessage(error)}`)
  }
}

async function textAt(place: string, context: CliContext): Promise<string> {
  if (!isUrl(place)) return readFile(place, 'utf8')
  if (!/^https?:/.test(place)) throw new UsageError(`${place}: only http and https are read`)
  const { LANGFUSE_PUBLIC_KEY: user, LANGFUSE_SECRET_KEY: secret } = context.environment
  const isLangfuse = user !== undefined && secret !== undefined && place.includes('/api/public/')
  const basic = `Basic ${Buffer.from(`${user}:${secret}`).toString('base64')}`
  const response = await fetch(place, {
    headers: isLangfuse ? { authorization: basic } : {},
    signal: AbortSignal.timeout(FETCH_TIMEOUT_MS),
  })
  if (!response.ok) throw new Error(`${place} answers with status ${response.status}`)
  return response.text()
}
