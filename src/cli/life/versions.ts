import { VersionFault } from '../../versions/version-document.js'
import { type Command, EXIT } from '../command.js'
import { printable } from '../printable.js'
import { atDesk, type Desk, printResult, READ_OPTIONS } from './desk.js'
import { findSubject, loadVersion, readLife, type Subject, type WrittenLife } from './read-life.js'

/** `versions`: the versions of a prompt, and which labels point at them. */
export const versions: Command = {
  usage: ['versions <id> [options]'],
  about:
    'Lists the versions of a prompt, the newest first: who published it, when, why, and the labels that point at it.',
  options: READ_OPTIONS,
  examples: ['versions review.code_review', 'versions review.code_review --json'],
  positionals: [1, 1],
  run: ([asked = ''], values, context) =>
    atDesk(values, context, async (desk) => {
      const subject = await findSubject(desk, asked)
      const { id } = subject
      const life = await readLife(desk, subject)
      const rows = await rowsOf(desk, subject, life)
      const lines = rows.map(toLine)
      const none = `${id} has no versions: publish it`
      printResult(desk, { id, versions: rows }, lines.length === 0 ? [none] : lines)
      return EXIT.ok
    }),
}

interface Row {
  readonly version: number
  readonly digest: string | undefined
  readonly at: string | undefined
  readonly author: string | undefined
  readonly note: string | undefined
  readonly labels: readonly { readonly label: string; readonly share: number }[]
  /** Why it is not a valid version. */
  readonly fault: string | undefined
}

function rowsOf(desk: Desk, subject: Subject, life: WrittenLife): Promise<readonly Row[]> {
  return Promise.all(life.numbers.toReversed().map((number) => rowOf(desk, subject, life, number)))
}

async function rowOf(desk: Desk, subject: Subject, { releases }: WrittenLife, version: number): Promise<Row> {
  const labels = [...releases].flatMap(([label, { release }]) =>
    (release?.targets ?? []).flatMap((target) =>
      target.version === version ? [{ label, share: target.share }] : [],
    ),
  )
  const unknown = { digest: undefined, at: undefined, author: undefined, note: undefined }
  try {
    const { digest, at, author, note } = await loadVersion(desk, subject, version)
    return { version, digest, at, author, note, labels, fault: undefined }
  } catch (error) {
    if (!(error instanceof VersionFault)) throw error
    return { version, ...unknown, labels, fault: error.message }
  }
}

function toLine({ version, digest, at, author, note, labels, fault }: Row): string {
  const number = `@${version}`.padEnd(5)
  if (fault !== undefined) return `${number} INVALID  ${fault}`
  const pointing = labels
    .map(({ label, share }) => (share === 100 ? label : `${label} ${share} %`))
    .join(', ')
  const shown = pointing === '' ? '' : `  [${pointing}]`
  const said = [at?.slice(0, 16).replace('T', ' '), author, note].map((text) => printable(text ?? '-'))
  return `${number} ${digest?.slice(0, 12)}  ${said.join('  ')}${shown}`
}
