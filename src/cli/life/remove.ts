import { isDeepStrictEqual } from 'node:util'
import { historyAddress, proposalAddress, releaseAddress } from '../../versions/addresses.js'
import { nextSequence } from '../../versions/next-release.js'
import { type Command, EXIT, UsageError } from '../command.js'
import { atDesk, type Desk, NOTE_OPTION, printResult, WRITE_OPTIONS } from './desk.js'
import { record } from './move-label.js'
import {
  findSubject,
  labelNotFound,
  loadVersion,
  readLife,
  type Subject,
  type WrittenLife,
} from './read-life.js'

/** `label rm`: a label goes. */
export const label: Command = {
  usage: ['label rm <id> <label> [options]'],
  about: `Removes a label from a prompt, and what was proposed for it. Versions stay, and the sequence continues if the
label is created again.`,
  options: { ...WRITE_OPTIONS, ...NOTE_OPTION },
  examples: ['label rm review.code_review try-ann'],
  positionals: [3, 3],
  run: ([action, asked = '', name = ''], values, context) =>
    atDesk(values, context, async (desk) => {
      if (action !== 'rm') throw new UsageError(`label ${action}: the only action is rm`)
      const subject = await findSubject(desk, asked)
      const { id } = subject
      const life = await readLife(desk, subject)
      if (!life.releases.has(name) && !life.proposals.has(name)) throw labelNotFound(subject, life, name)
      await removeLabel(desk, subject, life, name)
      printResult(desk, { id, label: name, dry_run: desk.isDry }, [`${id}@${name}  ${removedWord(desk)}`])
      return EXIT.ok
    }),
}

/** `retire`: a prompt is not served any more. */
export const retire: Command = {
  usage: ['retire <id> [options]'],
  about: `Takes a prompt out of service: removes its labels and its own document. Versions stay, so that references to them
still work, and publishing continues with the next number. Refuses a document that differs from the newest version,
unless --force: its text would be lost.`,
  options: {
    ...WRITE_OPTIONS,
    ...NOTE_OPTION,
    force: { type: 'boolean', help: 'also retire a document whose current text was never published' },
  },
  examples: ["retire review.old_style -m 'replaced by review.code_review'"],
  positionals: [1, 1],
  run: ([asked = ''], values, context) =>
    atDesk(values, context, async (desk) => {
      const subject = await findSubject(desk, asked)
      const { id } = subject
      const life = await readLife(desk, subject)
      if (values['force'] !== true) await assertPublished(desk, subject, life)
      const labels = [...new Set([...life.releases.keys(), ...life.proposals.keys()])].sort()
      for (const each of labels) await removeLabel(desk, subject, life, each)
      const head = await desk.writer.read(subject)
      if (head !== undefined && !desk.isDry) await desk.writer.replace(subject, head.text, undefined)
      if (!desk.isDry)
        await record(desk, historyAddress(subject.kind, subject.path), { action: 'retire', targets: [] })
      const removed = [...labels.map((each) => `@${each}`), ...(head === undefined ? [] : ['its document'])]
      const said =
        removed.length === 0 ? 'there was nothing to remove' : `${removedWord(desk)}: ${removed.join(', ')}`
      printResult(desk, { id, removed, dry_run: desk.isDry }, [`${id}  ${said}`])
      return EXIT.ok
    }),
}

/** Removes a label's release and proposal. */
export async function removeLabel(
  desk: Desk,
  { kind, path }: Subject,
  life: WrittenLife,
  name: string,
): Promise<void> {
  if (desk.isDry) return
  const release = life.releases.get(name)
  const proposal = life.proposals.get(name)
  if (proposal !== undefined)
    await desk.writer.replace(proposalAddress(kind, path, name), proposal.text, undefined)
  if (release === undefined) return
  if (!(await desk.writer.replace(releaseAddress(kind, path, name), release.text, undefined)))
    throw new Error(`somebody moved ${name} meanwhile; it was not removed`)
  const known = [release.release, proposal?.release].filter((each) => each !== undefined)
  const sequence = nextSequence(name, known, life.history)
  await record(desk, historyAddress(kind, path), { action: 'remove', label: name, sequence, targets: [] })
}

async function assertPublished(desk: Desk, subject: Subject, { numbers }: WrittenLife): Promise<void> {
  const newest = numbers.at(-1)
  if (subject.head === undefined) return
  const version = newest === undefined ? undefined : await loadVersion(desk, subject, newest)
  if (version === undefined || !isDeepStrictEqual(version.document, subject.head.document))
    throw new UsageError(`${subject.id} was not published as it is: publish it, or use --force`)
}

function removedWord({ isDry }: Desk): string {
  return isDry ? 'would be removed' : 'removed'
}
