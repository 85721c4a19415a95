import { readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Shell } from '../open-shell.js'
import { dependentsOf } from '../prompts/dependents.js'
import { findPrompt, headIn } from '../prompts/find-prompt.js'
import { withDraft } from '../proof/draft-store.js'
import { findTestFiles } from '../proof/find-test-files.js'
import { type ImpactSide, impactOn } from '../proof/impact.js'
import { type ImpactReport, impactMarkdown, impactText } from '../proof/reports/impact.js'
import type { Kind, StoredDocument } from '../store/store.js'
import { stringifyJson } from '../util/json/json.js'
import { documentAt } from '../util/packages/version.js'
import { readChoice } from '../versions/prompt-choice.js'
import { CATALOG_OPTION, catalogOption } from './catalog-option.js'
import { openCatalog } from './catalog-source.js'
import { type CliContext, type Command, EXIT, type OptionValues, UsageError } from './command.js'
import { isUrl } from './location.js'
import { textOption } from './option-values.js'
import { SERVER_OPTIONS } from './server-option.js'
import { openVariableSets, type VariableSets } from './variable-sets.js'

const FORMATS = ['text', 'markdown', 'json'] as const

/** What may be drafted beside prompts, and where its documents are. */
const KINDS: Readonly<Record<string, { readonly kind: Kind; readonly of: 'partial' | 'environ' | 'tool' }>> =
  {
    partial: { kind: 'templates', of: 'partial' },
    environ: { kind: 'environs', of: 'environ' },
    tool: { kind: 'tools', of: 'tool' },
  }

/** `impact`: what a change would do to renders. */
export const impact: Command = {
  usage: [
    'impact <id> --draft <file> [options]',
    'impact <id> --from <version|label|head> --to <version|label|head> [options]',
    'impact partial|environ|tool <id> --draft <file> [options]',
    'impact --base <catalog> [options]',
  ],
  about: `Renders prompts before and after a change and shows how many renders differ, which now fail, what that is in tokens, and
the typical and the largest difference. The change is a draft of one document, two versions or labels of one prompt, or
two catalogs (--base). Renders with the variables that the service recorded (RECORD_VARIABLES), those of --vars, the
prompts' examples and the catalog's tests. Tools are not called: they answer what was recorded, or what the test says.
Exits with code 1 if something fails that did not. The guide:
${documentAt('guides/testing.md')}`,
  options: {
    ...CATALOG_OPTION,
    draft: { type: 'string', value: '<file>', help: 'the document as it would be' },
    from: { type: 'string', value: '<which>', help: 'a version, a label, or head' },
    to: { type: 'string', value: '<which>', help: 'what it is compared with; default: head' },
    base: {
      type: 'string',
      value: '<catalog>',
      help: 'the catalog before the change, a directory or redis:// URL',
    },
    last: { type: 'string', value: '<n>', help: 'recorded sets per prompt, the newest; default: 1000' },
    vars: { type: 'string', value: '<file>', help: 'also sets of variables, one JSON object per line' },
    ...SERVER_OPTIONS,
    url: { type: 'string', value: '<server>', help: 'ask a running service for recorded variables' },
    format: { type: 'string', value: '<format>', help: `one of ${FORMATS.join(', ')}` },
    json: { type: 'boolean', help: 'print one JSON object, as --format json' },
  },
  examples: [
    'impact review.code_review --draft draft.yaml --catalog my-prompts',
    'impact review.code_review --from production --to 8 --url http://127.0.0.1:8080',
    'impact environ vscode.rules --draft rules.yaml',
    'impact --base ../main/my-prompts --catalog my-prompts --format markdown',
  ],
  positionals: [0, 2],
  async run(words, values, context) {
    const format = formatOf(values)
    const change = changeOf(words, values)
    const opened: Shell[] = []
    try {
      const report = await reportOf(change, values, context, opened)
      const printed =
        format === 'json'
          ? stringifyJson(report, 2)
          : format === 'markdown'
            ? impactMarkdown(report)
            : impactText(report)
      context.stdout(`${printed}\n`)
      return report.prompts.some(({ now_fail }) => now_fail.length > 0) ? EXIT.failed : EXIT.ok
    } finally {
      for (const shell of opened) await shell.close()
    }
  },
}

/** What the command line compares. */
type Change =
  | {
      readonly kind: 'draft'
      readonly id: string
      readonly draft: StoredDocument
      readonly of: 'prompt' | 'partial' | 'environ' | 'tool'
    }
  | { readonly kind: 'versions'; readonly id: string; readonly from: string; readonly to: string }
  | { readonly kind: 'catalogs'; readonly base: string }

/** @throws UsageError */
function changeOf([first, second]: readonly string[], values: OptionValues): Change {
  const [draft, from, to, base] = ['draft', 'from', 'to', 'base'].map((name) => textOption(values, name))
  const kind = first !== undefined && second !== undefined ? KINDS[first] : undefined
  if (second !== undefined && kind === undefined)
    throw new UsageError(`${first}: it is one of ${Object.keys(KINDS).join(', ')}, or left out for a prompt`)
  const id = second ?? first
  if (base !== undefined) {
    if (id !== undefined || draft !== undefined || from !== undefined || to !== undefined)
      throw new UsageError('--base compares whole catalogs: leave out the id, --draft, --from and --to')
    return { kind: 'catalogs', base }
  }
  if (id === undefined) throw new UsageError('name a prompt, or a catalog to compare with: --base <catalog>')
  if (draft !== undefined) {
    if (from !== undefined || to !== undefined) throw new UsageError('--draft goes without --from and --to')
    const document = draftOf(id, kind?.kind ?? 'templates', draft)
    return { kind: 'draft', id, draft: document, of: kind?.of ?? 'prompt' }
  }
  if (from === undefined || kind !== undefined)
    throw new UsageError('name the change: --draft <file>, or of a prompt --from and --to')
  return { kind: 'versions', id, from, to: to ?? HEAD }
}

const HEAD = 'head'

function draftOf(id: string, kind: Kind, file: string): StoredDocument {
  const format = file.endsWith('.json') ? 'json' : 'yaml'
  const content = { kind: 'text', text: readFileSync(file, 'utf8'), format } as const
  return { kind, path: id.split('.'), location: resolve(file), content }
}

async function reportOf(
  change: Change,
  values: OptionValues,
  context: CliContext,
  opened: Shell[],
): Promise<ImpactReport> {
  const location = catalogOption(values)
  const shell = await openCatalog(context, location)
  opened.push(shell)
  const sets = await openVariableSets(
    values,
    context,
    testsIn(location ?? context.environment['CATALOG_DIR']),
  )
  try {
    switch (change.kind) {
      case 'versions': {
        const { id, from, to } = change
        const title = `${id}, from ${from} to ${to}`
        return await compared(title, [id], [sideAt(shell, from), sideAt(shell, to)], sets)
      }
      case 'catalogs': {
        const base = await openCatalog(context, change.base)
        opened.push(base)
        return await comparedCatalogs([base, shell], sets)
      }
      default: {
        const drafted = await openDraft(context, location, change.draft)
        opened.push(drafted)
        const ids = await affectedBy(change, shell)
        const title = `${change.of === 'prompt' ? '' : `${change.of} `}${change.id} as in ${change.draft.location}`
        return await compared(title, ids, [sideAt(shell, HEAD), sideAt(drafted, HEAD)], sets)
      }
    }
  } finally {
    await sets.close()
  }
}

/** The files with tests of a catalog in a folder. */
function testsIn(catalog: string | undefined): readonly string[] {
  const folder = catalog === undefined || isUrl(catalog) ? undefined : join(catalog, 'tests')
  if (folder === undefined || statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return []
  return findTestFiles([folder])
}

async function openDraft(
  context: CliContext,
  location: string | undefined,
  draft: StoredDocument,
): Promise<Shell> {
  const shell = await openCatalog(context, location, (store) => withDraft(store, draft))
  try {
    const problem = shell.registry.current.diagnostics.find(
      ({ location: place, severity }) => place === draft.location && severity === 'error',
    )
    if (problem !== undefined) throw new UsageError(`${draft.location}: ${problem.message}`)
    return shell
  } catch (error) {
    await shell.close()
    throw error
  }
}

/** The prompts that a draft may change: itself, and what depends on it. */
async function affectedBy(
  { of, id }: Extract<Change, { kind: 'draft' }>,
  { registry }: Shell,
): Promise<readonly string[]> {
  const snapshot = registry.current
  const kind = of === 'prompt' ? 'partial' : of
  const name = of === 'tool' ? (snapshot.tools.get(id)?.functionName ?? id.replaceAll('.', '_')) : id
  const { prompts } = await dependentsOf(snapshot, { kind, id: name })
  const dependent = prompts.map((each) => each.id)
  return kind === 'partial' ? [...new Set([id, ...dependent])] : dependent
}

function sideAt({ registry, renderer }: Shell, choice: string): ImpactSide {
  return {
    registry,
    renderer,
    find: (id) => {
      const prompt = registry.current.prompts.get(id)
      if (choice === HEAD && prompt !== undefined) return headIn(registry.current, prompt)
      const asked = choice === HEAD ? {} : readChoice(choice)
      if (asked === undefined) throw new UsageError(`${choice} is neither a version nor a label, nor "head"`)
      return findPrompt(registry, id, asked)
    },
  }
}

async function compared(
  title: string,
  ids: readonly string[],
  [before, after]: readonly [ImpactSide, ImpactSide],
  sets: VariableSets,
): Promise<ImpactReport> {
  const prompts = []
  const unrendered: string[] = []
  for (const id of ids) {
    const prompt = after.registry.current.prompts.get(id) ?? before.registry.current.prompts.get(id)
    const known = await sets.of(id, prompt)
    if (known.length === 0) unrendered.push(id)
    else prompts.push(await impactOn(id, known, before, after))
  }
  return { title, prompts, unrendered, added: [], removed: [] }
}

async function comparedCatalogs(
  [base, shell]: readonly [Shell, Shell],
  sets: VariableSets,
): Promise<ImpactReport> {
  const [before, after] = [base.registry.current.prompts, shell.registry.current.prompts]
  const both = after.ids().filter((id) => before.has(id))
  const report = await compared(
    'changes of the catalog',
    both.filter((id) => after.get(id)?.origin !== 'bundled'),
    [sideAt(base, HEAD), sideAt(shell, HEAD)],
    sets,
  )
  return {
    ...report,
    added: after.ids().filter((id) => !before.has(id)),
    removed: before.ids().filter((id) => !after.has(id)),
  }
}

function formatOf({ json, format }: OptionValues): (typeof FORMATS)[number] {
  const wanted = format ?? (json === true ? 'json' : 'text')
  const known = FORMATS.find((name) => name === wanted)
  if (known === undefined)
    throw new UsageError(`--format ${String(wanted)}: it is one of ${FORMATS.join(', ')}`)
  return known
}
