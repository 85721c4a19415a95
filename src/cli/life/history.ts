import { type HistoryEntry, verifyChain } from '../../versions/history-entry.js'
import { type Command, EXIT } from '../command.js'
import { printable } from '../printable.js'
import { limitOption } from '../watch-options.js'
import { atDesk, printResult, READ_OPTIONS } from './desk.js'
import { findSubject, readLife } from './read-life.js'

const DEFAULT_LIMIT = 20

/** `history`: what was published, promoted and rolled back. */
export const history: Command = {
  usage: ['history <id> [options]'],
  about: `Lists what was published, promoted and rolled back, the newest first: when, by whom and why. It is a convenience, not
evidence: anyone who can write to Redis can change it. The history of a directory is git's.`,
  options: {
    ...READ_OPTIONS,
    limit: { type: 'string', value: '<n>', help: `how many entries; default: ${DEFAULT_LIMIT}` },
  },
  examples: [
    'history review.code_review --catalog redis://localhost:6379',
    'history review.code_review --limit 5 --json',
  ],
  positionals: [1, 1],
  run: ([asked = ''], values, context) =>
    atDesk(values, context, async (desk) => {
      const limit = limitOption(values, DEFAULT_LIMIT)
      const subject = await findSubject(desk, asked)
      const { id } = subject
      const life = await readLife(desk, subject)
      if (!life.hasHistory) {
        const folders = `git log -- ${subject.kind} ${subject.kind === 'agents' ? 'agent-releases' : 'releases'}`
        printResult(desk, { id, entries: [] }, [`the history of a directory is that of git: ${folders}`])
        return EXIT.ok
      }
      const entries = life.history.toReversed().slice(0, limit)
      const gaps = verifyChain(life.history)
      for (const { index, kind } of gaps)
        desk.stderr(`warning: entry ${index + 1} of the history: ${GAPS[kind]}\n`)
      printResult(desk, { id, entries: entries.map((entry) => entry ?? null), gaps }, entries.map(toLine))
      return EXIT.ok
    }),
}

/** What is wrong at a place of a history. */
export const GAPS = {
  missing: 'entries before it are gone',
  changed: 'it is not what was written',
  unreadable: 'it cannot be read',
} as const

function toLine(entry: HistoryEntry | undefined): string {
  if (entry === undefined) return '(an entry that cannot be read)'
  const { at, by, action, label, targets, note, forced, other } = entry
  const shown = targets.map(({ version, share }) =>
    share === undefined ? `@${version}` : `@${version} ${share} %`,
  )
  const moved = [label, shown.join(' + '), other]
    .filter((text) => text !== undefined && text !== '')
    .join(' ')
  const force = forced === undefined ? '' : `  (forced past ${forced})`
  const said = [by, note].map((text) => printable(text ?? '-')).join('  ')
  return `${at.slice(0, 16).replace('T', ' ')}  ${action.padEnd(8)} ${moved}  ${said}${force}`
}
