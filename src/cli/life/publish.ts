import { breaksDocument } from '../../registry/diagnostics.js'
import type { Diagnostic } from '../../registry/snapshot.js'
import { historyAddress, versionAddress } from '../../versions/addresses.js'
import { nextNumber } from '../../versions/next-release.js'
import {
  type CarriedPartials,
  digestOf,
  makeVersion,
  VERSION_FIELD,
  VersionFault,
} from '../../versions/version-document.js'
import { type Command, EXIT, type OptionValues, UsageError } from '../command.js'
import { formatDiagnostic } from '../finding-format.js'
import { carriedBy } from './carried.js'
import { atDesk, type Desk, labelOption, NOTE_OPTION, printResult, WRITE_OPTIONS } from './desk.js'
import { record } from './move-label.js'
import { promoteVersion } from './promote.js'
import { proveText, TESTS_OPTION, type TestVerdict, UNTESTED, verdictText } from './prove.js'
import {
  findSubject,
  goodReleases,
  loadVersion,
  readLife,
  type Subject,
  type WrittenLife,
} from './read-life.js'

/** Several may publish the same prompt at the same time: each gets a number of its own. */
const MAX_ATTEMPTS = 50

/** The result of publishing one prompt. */
export interface Published {
  readonly id: string
  readonly version: number
  readonly digest: string
  /** False where the newest version says the same already. */
  readonly isNew: boolean
  readonly carries: readonly string[]
  /** What its tests said; undefined where it has none. */
  readonly tests?: TestVerdict | undefined
  /** Which red gate was passed with `--force`. */
  readonly forced?: string | undefined
}

/** `publish`: a head as the next version. */
export const publish: Command = {
  usage: ['publish <id>... [options]', 'publish --changed [options]'],
  about: `Copies a prompt, with every prompt that it includes, to its next version. A version never changes. If the newest
version is the same, it writes nothing and reports that. Refuses a prompt with errors, as check reports them, or whose
tests fail, unless --force.`,
  options: {
    ...WRITE_OPTIONS,
    ...NOTE_OPTION,
    changed: { type: 'boolean', help: 'every prompt that has versions and differs from its newest' },
    label: { type: 'string', value: '<label>', help: 'also move this label to the version' },
    force: { type: 'boolean', help: 'publish despite errors and failed tests' },
    ...TESTS_OPTION,
  },
  examples: [
    "publish review.code_review -m 'shorter' --label staging",
    'publish --changed --catalog my-prompts --dry-run',
  ],
  positionals: [0, 100],
  run: (ids, values, context) =>
    atDesk(values, context, async (desk) => {
      if ((values['changed'] === true) === ids.length > 0)
        throw new UsageError('name what to publish, or give --changed')
      const wanted = ids.length > 0 ? ids : await withVersions(desk)
      const label = labelOption(values, 'label')
      // A misspelled id keeps the others from being published, too.
      const subjects: Subject[] = []
      for (const id of wanted) subjects.push(await findSubject(desk, id))
      let code: number = EXIT.ok
      for (const subject of subjects) {
        const published = await publishHead(desk, subject, values)
        if (published === undefined) code = EXIT.failed
        else if (label !== undefined) {
          const { version, digest, tests, forced } = published
          code = Math.max(
            code,
            await promoteVersion(desk, subject, { version, digest }, { label, tests, forced }),
          )
        }
      }
      return code
    }),
}

/** Publishes one head, and prints the result; undefined if it is refused. */
async function publishHead(
  desk: Desk,
  subject: Subject,
  values: OptionValues,
): Promise<Published | undefined> {
  const { head, id, kind } = subject
  if (head === undefined) return refused(desk, subject, await errorsOf(desk, subject, []))
  if (Object.hasOwn(head.document, VERSION_FIELD)) throw new UsageError(`${id} is a version itself`)
  const partials = await carriedBy(desk, head)
  const errors = await errorsOf(desk, subject, [...partials.keys()])
  const isForced = values['force'] === true
  if (errors.length > 0 && !isForced) return refused(desk, subject, errors)
  const { verdict: tests, report } =
    errors.length > 0 ? UNTESTED : await proveText(desk, subject, undefined, values)
  const hasFailed = tests !== undefined && tests.failed > 0
  if (hasFailed && !isForced) return failed(desk, subject, report, tests)
  const life = await readLife(desk, subject)
  const same = await sameAsNewest(desk, subject, life, partials)
  const forced = errors.length > 0 ? 'check' : hasFailed ? 'tests' : undefined
  const content = { kind, id, document: head.document, partials }
  const published = same ?? (await create(desk, subject, life, content, forced))
  print(desk, published)
  return { ...published, tests, forced }
}

async function create(
  desk: Desk,
  subject: Subject,
  known: WrittenLife,
  content: Omit<Parameters<typeof makeVersion>[0], 'number'>,
  forced: string | undefined,
): Promise<Published> {
  const { kind, id, path } = subject
  let life = known
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const number = nextNumber({ ...life, releases: goodReleases(life) })
    const remarks = { author: desk.by, at: desk.now(), note: desk.note }
    const document = makeVersion({ ...content, ...remarks, number })
    const digest = digestOf({ ...content, number })
    const published = { id, version: number, digest, isNew: true, carries: [...content.partials.keys()] }
    if (desk.isDry) return published
    if (await desk.writer.create(versionAddress(kind, path, number), document)) {
      await desk.index.add(kind, path, number)
      await loadVersion(desk, subject, number)
      const targets = [{ version: number, digest }]
      await record(desk, historyAddress(kind, path), { action: 'publish', targets, forced })
      return published
    }
    desk.index.forget()
    life = await readLife(desk, subject)
  }
  throw new Error(`${id}: others publish it all the time; repeat the command`)
}

async function sameAsNewest(
  desk: Desk,
  subject: Subject,
  { numbers }: WrittenLife,
  partials: CarriedPartials,
): Promise<Published | undefined> {
  const { kind, id, head } = subject
  const number = numbers.at(-1)
  if (number === undefined || head === undefined) return undefined
  const digest = digestOf({ kind, id, number, document: head.document, partials })
  try {
    const newest = await loadVersion(desk, subject, number)
    if (newest.digest !== digest) return undefined
  } catch (error) {
    if (error instanceof VersionFault) return undefined
    throw error
  }
  return { id, version: number, digest, isNew: false, carries: [...partials.keys()] }
}

function print(desk: Desk, published: Published): void {
  const { id, version, isNew, carries } = published
  const carried = carries.length === 0 ? '' : `, carries ${carries.join(', ')}`
  const said = isNew ? `${desk.isDry ? 'would be ' : ''}published${carried}` : 'is unchanged'
  printResult(desk, { ...published, dry_run: desk.isDry }, [`${id}@${version}  ${said}`])
}

/** Prints why nothing was published. */
function refused({ stderr }: Desk, { id, head }: Subject, errors: readonly Diagnostic[]): undefined {
  for (const error of errors) stderr(`${formatDiagnostic(error, 'text')}\n`)
  const isGone = head === undefined && errors.length === 0
  const advice = head === undefined ? 'fix the errors' : 'fix the errors, or use --force'
  stderr(`${id}: not published; ${isGone ? 'its document is gone' : advice}\n`)
}

/** Prints which tests keep it from being published. */
function failed({ stderr }: Desk, { id }: Subject, report: string, tests: TestVerdict): undefined {
  stderr(`${report}\n${id}: not published, ${verdictText(tests)}; fix them, or use --force\n`)
}

/** What keeps it, or what it includes, from being served as it is written. */
async function errorsOf(
  { shell, kind }: Desk,
  { id }: Subject,
  included: readonly string[],
): Promise<readonly Diagnostic[]> {
  const prompts = new Set([...included, ...(kind === 'templates' ? [id] : [])])
  const isAbout = (finding: Diagnostic) => {
    if (finding.kind === 'templates') return prompts.has(finding.id)
    if (finding.kind === 'extensions') return finding.prompt !== undefined && prompts.has(finding.prompt)
    return finding.kind === kind && finding.id === id
  }
  return (await shell.findings.all()).filter((finding) => breaksDocument(finding) && isAbout(finding))
}

/** The ids of all that has versions and a head. */
async function withVersions({ index, shell, kind }: Desk): Promise<readonly string[]> {
  const { prompts, agents } = shell.registry.current
  const shelf = kind === 'agents' ? agents : prompts
  const published = (await index.all(kind)).filter(({ numbers }) => numbers.length > 0)
  const ids = published.map(({ path }) => path.join('.'))
  return [...new Set(ids)].filter((id) => shelf.has(id)).sort()
}
