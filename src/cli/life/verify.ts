import { counted } from '../../util/text/counted.js'
import { verifyChain } from '../../versions/history-entry.js'
import type { Release } from '../../versions/release-document.js'
import { VersionFault } from '../../versions/version-document.js'
import { type Command, EXIT } from '../command.js'
import { atDesk, type Desk, printResult, READ_OPTIONS } from './desk.js'
import { GAPS } from './history.js'
import { findSubject, loadVersion, readLife, type Subject, type WrittenLife } from './read-life.js'

/** `verify`: whether versions, labels and history hold. */
export const verify: Command = {
  usage: ['verify [id] [options]'],
  about: `Checks every version against its digest, every label against its versions, and the history for gaps: of one prompt, or
of all that have versions or labels. Exits with code 1 if a check fails.`,
  options: READ_OPTIONS,
  examples: ['verify review.code_review', 'verify --catalog redis://localhost:6379'],
  positionals: [0, 1],
  run: ([id], values, context) =>
    atDesk(values, context, async (desk) => {
      const ids = id === undefined ? await allIds(desk) : [id]
      const problems: Problem[] = []
      for (const each of ids) {
        const subject = await findSubject(desk, each)
        const life = await readLife(desk, subject)
        problems.push(...(await problemsOf(desk, subject, life)))
      }
      const lines = problems.map(({ id: of, place, message }) => `${of}${place}  ${message}`)
      const noun = desk.kind === 'agents' ? 'agent' : 'prompt'
      const summary = `${counted(ids.length, noun)}: ${counted(problems.length, 'problem')}`
      printResult(desk, { checked: ids.length, problems }, [...lines, summary])
      return problems.length === 0 ? EXIT.ok : EXIT.failed
    }),
}

interface Problem {
  readonly id: string
  /** `@8`, `@production`, or of the history ` (history)`. */
  readonly place: string
  readonly message: string
}

async function allIds({ index, kind }: Desk): Promise<readonly string[]> {
  const written = (await index.all(kind)).filter(({ numbers, labels }) => numbers.length + labels.length > 0)
  return [...new Set(written.map(({ path }) => path.join('.')))].sort()
}

async function problemsOf(desk: Desk, subject: Subject, life: WrittenLife): Promise<readonly Problem[]> {
  const { id } = subject
  const digests = new Map<number, string>()
  const problems: Problem[] = []
  for (const number of life.numbers) {
    try {
      digests.set(number, (await loadVersion(desk, subject, number)).digest)
    } catch (error) {
      if (!(error instanceof VersionFault)) throw error
      problems.push({ id, place: `@${number}`, message: error.message })
    }
  }
  for (const [label, { release, fault }] of life.releases) {
    const place = `@${label}`
    if (release === undefined) problems.push({ id, place, message: fault ?? '' })
    else for (const message of faultsOf(release, digests, life, label)) problems.push({ id, place, message })
  }
  const gaps = verifyChain(life.history).map(({ index, kind }) => {
    return { id, place: ' (history)', message: `entry ${index + 1}: ${GAPS[kind]}` }
  })
  return [...problems, ...gaps]
}

function faultsOf(
  release: Release,
  digests: ReadonlyMap<number, string>,
  life: WrittenLife,
  label: string,
): readonly string[] {
  const missing = release.targets.flatMap(({ version, digest }) => {
    const there = digests.get(version)
    if (there === digest) return []
    return [
      there === undefined ? `there is no usable version ${version}` : `version ${version} has another digest`,
    ]
  })
  const last = life.history.findLast((entry) => entry?.label === label)
  const isUnrecorded = life.hasHistory && last?.sequence !== release.sequence
  return isUnrecorded ? [...missing, 'it was moved without an entry in the history'] : missing
}
