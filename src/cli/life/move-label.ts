import { isDeepStrictEqual } from 'node:util'
import { errorMessage } from '../../util/errors/error-message.js'
import type { JsonObject } from '../../util/json/json.js'
import {
  historyAddress,
  type LifeAddress,
  proposalAddress,
  releaseAddress,
} from '../../versions/addresses.js'
import type { HistoryFact } from '../../versions/history-entry.js'
import { fallbackOf, nextSequence } from '../../versions/next-release.js'
import { type Release, type ReleaseTarget, writeRelease } from '../../versions/release-document.js'
import { isTested } from '../../versions/tested-release.js'
import { EXIT, PROGRAM, UsageError } from '../command.js'
import { type Desk, printResult } from './desk.js'
import { gateOf } from './gates.js'
import type { Impact } from './measure-impact.js'
import { pictureOf } from './picture.js'
import { type TestVerdict, verdictText } from './prove.js'
import type { Subject, WrittenLife } from './read-life.js'

/** Where a label is to point. */
export interface RequestedMove {
  readonly action: 'promote' | 'rollback'
  readonly label: string
  readonly targets: readonly ReleaseTarget[]
  /** The version that the move is about. */
  readonly version: Pick<ReleaseTarget, 'version' | 'digest'>
  readonly sticky?: string | undefined
  readonly expires?: string | undefined
  /** What the tests said of the version. */
  readonly tests?: TestVerdict | undefined
  /** What it does to renders. */
  readonly impact?: Impact | undefined
  /** Which red gate was passed with `--force`. */
  readonly forced?: string | undefined
}

/** Writes a label's release, or the proposal of one where a gate asks for signatures, and shows what moves. */
export async function moveLabel(
  desk: Desk,
  subject: Subject,
  life: WrittenLife,
  move: RequestedMove,
): Promise<number> {
  const { kind, id, path } = subject
  const { label } = move
  const before = life.releases.get(label)
  const release = nextRelease(desk, life, move)
  if (isSame(before?.release, release)) return alreadyThere(desk, id, move)
  const gate = gateOf(desk.config, label)
  const isProposal = gate !== undefined && gate.required > 0
  if (gate?.tests === 'required' && !isTested(release))
    throw new UsageError(`${label} needs tests that pass, and ${id} ${testedText(move.tests)}: see --tests`)
  const address = (isProposal ? proposalAddress : releaseAddress)(kind, path, label)
  const replaced = (isProposal ? life.proposals : life.releases).get(label)?.text
  const document = writeRelease(release)
  if (!desk.isDry && !(await desk.writer.replace(address, replaced, document)))
    return movedMeanwhile(desk, id, label)
  if (!desk.isDry && !isProposal) await recordRelease(desk, subject, label, release, move.action)
  const tested = move.tests === undefined ? [] : [`\n${verdictText(move.tests)}`]
  const { report = '' } = move.impact ?? {}
  const compared = report === '' ? [] : [`\n${report}`]
  const waiting = isProposal ? [waitingLine(id, label, gate.required)] : []
  const result: JsonObject = {
    id,
    label,
    action: move.action,
    proposal: isProposal,
    dry_run: desk.isDry,
    release: document,
  }
  printResult(desk, result, [
    ...pictureOf(`${id}@${label}`, before?.release, release),
    ...tested,
    ...compared,
    ...waiting,
    ...dryLine(desk),
  ])
  return EXIT.ok
}

/** Whether a label serves the same with both, to the same people and for as long. */
function isSame(before: Release | undefined, after: Release): boolean {
  const served = ({ targets, sticky, expires }: Release) => [targets, sticky, expires]
  return before !== undefined && isDeepStrictEqual(served(before), served(after))
}

function alreadyThere(desk: Desk, id: string, { label, action, targets }: RequestedMove): number {
  const named = targets.map(({ version, share }) => (share === 100 ? version : `${version} (${share} %)`))
  const result = { id, label, action, unchanged: true, dry_run: desk.isDry }
  printResult(desk, result, [`${id}@${label}  points at ${named.join(', ')} already: nothing was written`])
  return EXIT.ok
}

function testedText(tests: TestVerdict | undefined): string {
  return tests === undefined ? 'has none' : `has failures: ${verdictText(tests)}`
}

/** Adds a release to the history. */
export function recordRelease(
  desk: Desk,
  { kind, path }: Subject,
  label: string,
  { sequence, targets, forced, note }: Release,
  action: RequestedMove['action'],
): Promise<void> {
  const isOne = targets.length === 1
  const shown = targets.map(({ version, digest, share }) => ({ version, digest, ...(!isOne && { share }) }))
  return record({ ...desk, note }, historyAddress(kind, path), {
    action,
    label,
    sequence,
    targets: shown,
    forced,
  })
}

/** Adds to the history. It is a convenience: what was written before is valid without it. */
export async function record(
  desk: Desk,
  address: LifeAddress,
  fact: Omit<HistoryFact, 'at' | 'by' | 'note'>,
): Promise<void> {
  try {
    await desk.writer.append(address, { ...fact, at: desk.now(), by: desk.by, note: desk.note })
  } catch (error) {
    desk.stderr(`warning: not added to the history: ${errorMessage(error)}\n`)
  }
}

function nextRelease(desk: Desk, life: WrittenLife, move: RequestedMove): Release {
  const before = life.releases.get(move.label)?.release
  const known = [before, life.proposals.get(move.label)?.release].filter((each) => each !== undefined)
  return {
    targets: move.targets,
    sequence: nextSequence(move.label, known, life.history),
    note: desk.note,
    by: desk.by,
    at: desk.now(),
    expires: move.expires,
    action: move.action === 'rollback' ? 'rollback' : undefined,
    previous: fallbackOf(before, move.version),
    tests: move.tests && { passed: move.tests.passed, failed: move.tests.failed },
    impact: move.impact?.verdict,
    forced: move.forced,
    sticky: move.targets.length > 1 ? (move.sticky ?? before?.sticky) : undefined,
    signatures: [],
  }
}

function movedMeanwhile({ stderr }: Desk, id: string, label: string): number {
  stderr(`${id}: somebody moved ${label} meanwhile; nothing was written. Look at it and repeat the command\n`)
  return EXIT.failed
}

function waitingLine(id: string, label: string, required: number): string {
  return `\nproposed; it waits for ${required} ${required === 1 ? 'signature' : 'signatures'}: ${PROGRAM} sign ${id} ${label} --key <file>`
}

function dryLine({ isDry }: Desk): readonly string[] {
  return isDry ? ['\nnothing was written (--dry-run)'] : []
}
