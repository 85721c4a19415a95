import type { Kind } from '../store/store.js'
import { didYouMean, nearNames } from '../util/near-names.js'
import type { Claim, LostClaim } from './claim-table.js'
import type { DocumentProblem, Served, ServedPrompt } from './read-document.js'
import { addressOfKey } from './revision.js'
import type { Diagnostic, Snapshot } from './snapshot.js'

/** A document with what is served from it and what is wrong with it. */
export interface DiagnosedRecord {
  /** See `documentKey`. */
  readonly key: string
  readonly location: string
  readonly served: Served | undefined
  readonly problems: readonly DocumentProblem[]
}

export interface DiagnosticSources extends Pick<Snapshot, 'prompts' | 'functions'> {
  readonly diagnosed: Iterable<DiagnosedRecord>
  /** Documents whose templates call tools or partials. */
  readonly linked: Iterable<DiagnosedRecord>
  /** Environs that lose against environs below their path. */
  readonly hidden: Iterable<{ readonly record: DiagnosedRecord; readonly message: string }>
  readonly lost: Iterable<LostClaim<Claim> & { readonly kind: Kind }>
}

/** Everything that is wrong in the catalog, in the order of the documents' places. */
export function collectDiagnostics(sources: DiagnosticSources): readonly Diagnostic[] {
  const found: Diagnostic[] = []
  for (const record of sources.diagnosed)
    found.push(...record.problems.map((problem) => ({ ...nameOf(record), ...problem })))
  for (const record of sources.linked) found.push(...brokenLinks(record, sources))
  for (const { record, message } of sources.hidden)
    found.push({ ...nameOf(record), code: 'environ_conflict', message, ...WARNING })
  for (const { kind, id, entry, winner } of sources.lost) {
    const message = `${winner.location} has the same name, ${id}, and comes first`
    found.push({ kind, id, location: entry.location, code: 'duplicate_id', message, ...WARNING })
  }
  return found.sort(byPlace)
}

const WARNING = { severity: 'warning', servingLastGood: false } as const

function nameOf({ key, location }: DiagnosedRecord): Pick<Diagnostic, 'kind' | 'id' | 'location'> {
  const { kind, path } = addressOfKey(key)
  return { kind, id: path.join('.'), location }
}

function brokenLinks(record: DiagnosedRecord, sources: DiagnosticSources): readonly Diagnostic[] {
  const { served } = record
  const prompts: readonly ServedPrompt[] =
    served?.kind === 'templates' ? [served.prompt] : served?.kind === 'extensions' ? served.prompts : []
  return prompts.flatMap(({ entry, links }) => {
    const name = {
      ...nameOf(record),
      ...WARNING,
      ...(served?.kind === 'extensions' ? { prompt: entry.id } : {}),
    }
    const tools = links.tools.filter((tool) => !sources.functions.has(tool))
    const partials = links.partials.filter(
      (partial) => sources.prompts.get(partial)?.definition.body.kind !== 'prompt',
    )
    return [
      ...tools.map((tool) => ({
        ...name,
        code: 'unknown_function',
        message: `function ${tool} is not defined${didYouMean(nearNames(tool, sources.functions.ids()))}`,
      })),
      ...partials.map((partial) => ({
        ...name,
        code: 'unknown_partial',
        message: `template ${partial} is neither defined in the text nor a prompt with a userPrompt`,
      })),
    ]
  })
}

function byPlace(one: Diagnostic, other: Diagnostic): number {
  if (one.location !== other.location) return one.location < other.location ? -1 : 1
  return one.message < other.message ? -1 : Number(one.message > other.message)
}
