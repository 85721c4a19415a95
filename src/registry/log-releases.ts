import { clipped } from '../util/text/clipped.js'
import type { VersionedKind } from '../versions/version-document.js'
import type { RegistryLog } from './registry.js'
import type { Label, LabelTarget } from './snapshot.js'

/** What a label served before and serves now. */
export interface LabelMove {
  readonly kind: VersionedKind
  /** Of the prompt or agent. */
  readonly id: string
  readonly label: string
  /** undefined for a label that was not there. */
  readonly before: Label | undefined
  /** undefined for a label that was removed. */
  readonly after: Label | undefined
}

/** More lines of one swap would hold the event loop. */
const MAX_LINES = 1_000
/** Characters of what people wrote about a release. */
const MAX_REMARK = 200

/**
 * Logs `release_moved` for every label that moved: a record that users with write access to the catalog cannot
 * remove.
 */
export function logReleases(moves: readonly LabelMove[], log: RegistryLog): void {
  for (const move of moves.slice(0, MAX_LINES)) log.info(factsOf(move), 'release_moved')
  const more = moves.length - MAX_LINES
  if (more > 0) log.warn({ more }, 'and more labels moved at the same time')
}

/** Whether a label serves something else now, or has another release. */
export function isMoved(before: Label | undefined, after: Label | undefined): boolean {
  if (before?.entry.release?.sequence !== after?.entry.release?.sequence) return true
  return sharesOf(before?.targets) !== sharesOf(after?.targets) || digestsOf(before) !== digestsOf(after)
}

function factsOf({ kind, id, label, before, after }: LabelMove): object {
  const { release } = after?.entry ?? {}
  const said = {
    sequence: release?.sequence,
    action: release?.action,
    by: remark(release?.by),
    at: remark(release?.at),
    note: remark(release?.note),
    forced: remark(release?.forced),
    problem: after?.problem,
  }
  return {
    [kind === 'agents' ? 'agent' : 'prompt']: id,
    label,
    from: sharesOf(before?.targets),
    to: sharesOf(after?.targets),
    ...Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined)),
  }
}

function remark(text: string | undefined): string | undefined {
  return text === undefined ? undefined : clipped(text, MAX_REMARK)
}

/** `8`, or of a split `7: 95 %, 8: 5 %`; `nothing` where nothing is served. */
function sharesOf(targets: readonly LabelTarget[] = []): string {
  const [only] = targets
  if (only === undefined) return 'nothing'
  if (targets.length === 1) return String(only.version.number)
  return targets
    .map(({ version, end }, index) => `${version.number}: ${(end - (targets[index - 1]?.end ?? 0)) / 100} %`)
    .join(', ')
}

function digestsOf(label: Label | undefined): string {
  return (label?.targets ?? []).map(({ version }) => version.digest).join(' ')
}
