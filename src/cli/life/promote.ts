import { ServiceError } from '../../errors.js'
import { compileFound } from '../../prompts/compile-found.js'
import { findPrompt } from '../../prompts/find-prompt.js'
import type { VersionReference } from '../../schema/version.js'
import { TemplateError } from '../../template/host.js'
import { withShare } from '../../versions/next-release.js'
import { readChoice, splitChoice } from '../../versions/prompt-choice.js'
import { type Command, EXIT, type OptionValues, UsageError } from '../command.js'
import { textOption } from '../option-values.js'
import { SERVER_OPTIONS } from '../server-option.js'
import { atDesk, type Desk, labelOption, NOTE_OPTION, WRITE_OPTIONS } from './desk.js'
import { type Impact, measureImpact } from './measure-impact.js'
import { moveLabel } from './move-label.js'
import { proveText, TESTS_OPTION, type TestVerdict, verdictText } from './prove.js'
import { findSubject, readLife, referenceTo, releaseAt, type Subject, type WrittenLife } from './read-life.js'

/** How a version is promoted. */
export interface Promotion {
  readonly label: string
  /** In per cent. Default: all. */
  readonly share?: number | undefined
  readonly sticky?: string | undefined
  readonly expires?: string | undefined
  /** What the tests said of the version; undefined where it has none. */
  readonly tests?: TestVerdict | undefined
  /** What it does to renders; undefined where there was nothing to compare. */
  readonly impact?: Impact | undefined
  /** Which red gate was passed with `--force`. */
  readonly forced?: string | undefined
}

/** `promote`: a label moves to a version. */
export const promote: Command = {
  usage: [
    'promote <id> <version or label> --to <label> [options]',
    'promote <id>@<version or label> --to <label>',
  ],
  about: `Moves a label to a version, for all requests or for a share of them. A share goes to the same people for as long as it
grows. Refuses a version with errors in its templates, whose tests fail, or with which renders fail that work now,
unless --force. Shows what the label points at before and after, and how renders differ: with the variables that the
service recorded (RECORD_VARIABLES), those of --vars, the prompt's examples and its tests. Under a label with a gate it
writes a proposal, which waits for signatures while the label keeps pointing where it does.`,
  options: {
    ...WRITE_OPTIONS,
    ...NOTE_OPTION,
    to: { type: 'string', value: '<label>', help: 'the label to move, such as production' },
    share: {
      type: 'string',
      value: '<percent>',
      help: 'percentage of the requests that get it; default: 100',
    },
    force: { type: 'boolean', help: 'promote despite errors and failures; the release records it' },
    ...TESTS_OPTION,
    vars: {
      type: 'string',
      value: '<file>',
      help: 'sets of variables to compare renders with, one JSON object per line',
    },
    ...SERVER_OPTIONS,
    url: { type: 'string', value: '<server>', help: 'ask a running service for recorded variables' },
    sticky: {
      type: 'string',
      value: '<path>',
      help: 'the variable that decides who, such as variables.user_id',
    },
    expires: {
      type: 'string',
      value: '<time>',
      help: 'when it expires, in UTC: 2027-01-31 or 2027-01-31T18:00Z',
    },
  },
  examples: [
    "promote review.code_review 8 --to production --share 5 -m 'shorter'",
    'promote review.code_review staging --to production',
  ],
  positionals: [1, 2],
  run: ([id = '', word], values, context) =>
    atDesk(values, context, async (desk) => {
      const label = labelOption(values, 'to')
      if (label === undefined) throw new UsageError('which label? Give --to, such as --to production')
      const named = word === undefined ? splitChoice(id) : { id, choice: readChoice(word) }
      if (named.choice === undefined)
        throw new UsageError(`${word ?? id}: name a version such as 8, or a label such as staging`)
      const subject = await findSubject(desk, named.id)
      const life = await readLife(desk, subject)
      const number = named.choice.version ?? versionOfLabel(subject, life, named.choice.label)
      const shared = { label, share: shareOf(values), ...textsOf(desk, values) }
      const version = await referenceTo(desk, subject, life, number)
      const before = life.releases.get(label)?.release?.targets ?? []
      const measure = () => measureImpact(desk, context, subject, before, number, values)
      const { red, tests, impact, report } = await judge(desk, subject, number, values, measure)
      if (red !== undefined && values['force'] !== true) {
        desk.stderr(`${report}\nnothing was moved; use --force to move it all the same\n`)
        return EXIT.failed
      }
      return promoteVersion(desk, subject, version, { ...shared, tests, impact, forced: red })
    }),
}

/** What speaks against a version. */
interface Judged {
  /** Which gates are red, as the release says it after `--force`. */
  readonly red: string | undefined
  readonly tests?: TestVerdict | undefined
  readonly impact?: Impact | undefined
  /** For people. */
  readonly report: string
}

async function judge(
  desk: Desk,
  subject: Subject,
  version: number,
  values: OptionValues,
  measure: () => Promise<Impact>,
): Promise<Judged> {
  const name = `${subject.id}@${version}`
  const problem = await problemOf(desk, subject, version)
  if (problem !== undefined) return { red: 'check', report: `${name} has errors: ${problem}` }
  const { verdict: tests, report } = await proveText(desk, subject, version, values)
  const impact = await measure()
  const red: string[] = []
  const reports: string[] = []
  if (tests !== undefined && tests.failed > 0) {
    red.push('tests')
    reports.push(report, `${name}: ${verdictText(tests)}`)
  }
  if (impact.nowFail > 0) {
    red.push('impact')
    reports.push(impact.report)
  }
  return { red: red.length === 0 ? undefined : red.join(', '), tests, impact, report: reports.join('\n') }
}

/** Moves a label to a version that is there, or of a dry run would be; prints what moved. */
export async function promoteVersion(
  desk: Desk,
  subject: Subject,
  version: VersionReference,
  { label, share = 100, sticky, expires, tests, impact, forced }: Promotion,
): Promise<number> {
  const life = await readLife(desk, subject)
  const before = life.releases.get(label)?.release
  const targets = withShare(before?.targets ?? [], version, share)
  if (share < 100 && targets.length === 1)
    throw new UsageError(
      `${label} points at no other version: a share of ${share} % needs one that gets the rest`,
    )
  return moveLabel(desk, subject, life, {
    ...{ action: 'promote', label, targets, version, sticky, expires, tests, impact, forced },
  })
}

/** What keeps a version of a prompt from being rendered; undefined for nothing. */
async function problemOf(
  { shell }: Desk,
  { kind, id }: Subject,
  version: number,
): Promise<string | undefined> {
  if (kind === 'agents') return undefined
  try {
    compileFound(shell.registry, await findPrompt(shell.registry, id, { version }))
    return undefined
  } catch (error) {
    if (!(error instanceof ServiceError || error instanceof TemplateError)) throw error
    const { diagnostics } = shell.registry.current
    return diagnostics.find((each) => each.id === `${id}@${version}`)?.message ?? error.message
  }
}

/** The one version that a label points at. @throws UsageError for a label that is split */
function versionOfLabel(subject: Subject, life: WrittenLife, label: string): number {
  const [target, second] = releaseAt(subject, life, label).targets
  if (target === undefined || second !== undefined)
    throw new UsageError(`${label} is split: name the version to promote`)
  return target.version
}

function shareOf(values: OptionValues): number | undefined {
  const text = textOption(values, 'share')
  if (text === undefined) return undefined
  const share = Number(text)
  if (!/^\d{1,3}(\.\d{1,2})?$/.test(text) || share <= 0 || share > 100)
    throw new UsageError('--share must be a number above 0, up to 100, with two decimals at most')
  return share
}

function textsOf(desk: Desk, values: OptionValues): Pick<Promotion, 'sticky' | 'expires'> {
  const sticky = textOption(values, 'sticky')
  if (sticky !== undefined && !/^variables\.[^.]+(\.[^.]+)*$/.test(sticky))
    throw new UsageError('--sticky must be a path into the variables, such as variables.user_id')
  return { sticky, expires: expiresOf(desk, textOption(values, 'expires')) }
}

/** A date, or a moment in UTC. */
const MOMENT = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?Z)?$/

/** In the format of releases. @throws UsageError unless it is a time in the future */
function expiresOf({ now }: Pick<Desk, 'now'>, text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const at = MOMENT.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(at))
    throw new UsageError('--expires must be a time in UTC, such as 2027-01-31 or 2027-01-31T18:00Z')
  if (at <= Date.parse(now())) throw new UsageError(`--expires ${text} is in the past`)
  return new Date(at).toISOString()
}
