import { findPrompt } from '../../prompts/find-prompt.js'
import { type ImpactSide, impactOn, type PromptImpact } from '../../proof/impact.js'
import { impactText } from '../../proof/reports/impact.js'
import { errorMessage } from '../../util/errors/error-message.js'
import type { JsonObject } from '../../util/json/json.js'
import type { ReleaseTarget } from '../../versions/release-document.js'
import { type CliContext, type OptionValues, UsageError } from '../command.js'
import { openVariableSets } from '../variable-sets.js'
import type { Desk } from './desk.js'
import { testFiles } from './prove.js'
import type { Subject } from './read-life.js'

/** What a move does to renders. */
export interface Impact {
  /** As a release keeps it; undefined where nothing could be compared. */
  readonly verdict: JsonObject | undefined
  /** Renders that work with what the label serves now, and fail with the version. */
  readonly nowFail: number
  /** For people; empty where nothing could be compared. */
  readonly report: string
}

const NOTHING: Impact = { verdict: undefined, nowFail: 0, report: '' }

/**
 * Renders what a label serves now beside the version that it moves to, with the variables that are known of the prompt.
 * It is worked out for people and for the release: where it cannot be, that is a warning.
 *
 * @param before what the label points at; of a split, the version with the largest share is compared
 * @throws UsageError
 */
export async function measureImpact(
  desk: Desk,
  context: CliContext,
  { kind, id }: Subject,
  before: readonly ReleaseTarget[],
  version: number,
  values: OptionValues,
): Promise<Impact> {
  const from = before.filter((each) => each.version !== version).sort((a, b) => b.share - a.share)[0]
  if (kind === 'agents' || from === undefined) return NOTHING
  try {
    const sets = await openVariableSets(values, context, testFiles(desk, values))
    try {
      const { prompt } = await findPrompt(desk.shell.registry, id, { version })
      const known = await sets.of(id, prompt)
      if (known.length === 0) return NOTHING
      const measured = await impactOn(id, known, sideAt(desk, from.version), sideAt(desk, version))
      return toImpact(measured, from.version, version)
    } finally {
      await sets.close()
    }
  } catch (error) {
    if (error instanceof UsageError) throw error
    desk.stderr(`warning: the impact was not measured: ${errorMessage(error)}\n`)
    return NOTHING
  }
}

function sideAt({ shell: { registry, renderer } }: Desk, version: number): ImpactSide {
  return { registry, renderer, find: (id) => findPrompt(registry, id, { version }) }
}

function toImpact(measured: PromptImpact, from: number, version: number): Impact {
  const { renders, sources, differ, now_fail, no_longer_fail, tokens } = measured
  const nowFail = now_fail.reduce((sum, each) => sum + each.renders, 0)
  const { before, after } = tokens
  const title = `impact of @${version} in place of @${from}`
  return {
    nowFail,
    report: impactText({ title, prompts: [measured], unrendered: [], added: [], removed: [] }),
    verdict: {
      ...{ from, renders, sources: { ...sources }, differ, now_fail: nowFail, no_longer_fail },
      tokens: { before: { ...before }, after: { ...after } },
    },
  }
}
