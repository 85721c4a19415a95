import { ServiceError } from '../../errors.js'
import type { VersionReference } from '../../schema/version.js'
import { isVersionNumber } from '../../versions/prompt-choice.js'
import { type Command, UsageError } from '../command.js'
import { textOption } from '../option-values.js'
import { atDesk, labelOption, NOTE_OPTION, WRITE_OPTIONS } from './desk.js'
import { moveLabel } from './move-label.js'
import { findSubject, readLife, referenceTo, releaseAt, type Subject, type WrittenLife } from './read-life.js'

/** The label that is meant where none is named. */
const DEFAULT_LABEL = 'production'

/** `rollback`: a label goes back. */
export const rollback: Command = {
  usage: ['rollback <id> [options]'],
  about: `Points a label at the version that it pointed at before, or at the one that --to names, for all requests. It is one
write, and only needs the version to be there. Under a label with a gate it needs signatures too.`,
  options: {
    ...WRITE_OPTIONS,
    ...NOTE_OPTION,
    label: { type: 'string', value: '<label>', help: `the label to move; default: ${DEFAULT_LABEL}` },
    to: { type: 'string', value: '<version>', help: 'the version to go back to; default: the one before' },
  },
  examples: [
    'rollback review.code_review',
    "rollback review.code_review --label staging --to 7 -m 'wrong tone'",
  ],
  positionals: [1, 1],
  run: ([id = ''], values, context) =>
    atDesk(values, context, async (desk) => {
      const label = labelOption(values, 'label') ?? DEFAULT_LABEL
      const wanted = textOption(values, 'to')
      if (wanted !== undefined && !isVersionNumber(wanted))
        throw new UsageError('--to must be the number of a version, such as 7')
      const subject = await findSubject(desk, id)
      const life = await readLife(desk, subject)
      const before = wanted === undefined ? versionBefore(subject, life, label) : undefined
      const version = await referenceTo(desk, subject, life, before?.version ?? Number(wanted))
      if (before !== undefined && before.digest !== version.digest)
        throw new ServiceError(
          'release_unusable',
          `Version ${version.version} of ${id} is not what ${label} pointed at: its digest was ${before.digest.slice(0, 12)}…`,
        )
      const targets = [{ ...version, share: 100 }]
      return moveLabel(desk, subject, life, { action: 'rollback', label, targets, version })
    }),
}

/** From the release, else from the history, which a label that was removed still has. @throws ServiceError */
function versionBefore(subject: Subject, life: WrittenLife, label: string): VersionReference {
  const release = life.releases.get(label)?.release
  const now = new Set(release?.targets.map(({ version }) => version))
  const earlier = life.history
    .flatMap((entry) => (entry?.label === label ? entry.targets : []))
    .toReversed()
    .find(({ version }) => !now.has(version))
  const before = release?.previous ?? earlier
  if (before !== undefined) return { version: before.version, digest: before.digest }
  releaseAt(subject, life, label)
  throw new ServiceError(
    'version_not_found',
    `${subject.id}@${label} never pointed at another version: name one with --to`,
  )
}
