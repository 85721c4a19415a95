import { ServiceError } from '../../errors.js'
import type { VersionReference } from '../../schema/version.js'
import { isVersionNumber } from '../../versions/prompt-choice.js'
import { type Command, UsageError } from '../command.js'
import { textOption } from '../option-values.js'
import { atDesk, type Desk, NOTE_OPTION, WRITE_OPTIONS } from './desk.js'
import { moveLabel } from './move-label.js'
import { assertVersion } from './promote.js'
import { findSubject, loadVersion, readLife, type Subject, type WrittenLife } from './read-life.js'

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
      const label = textOption(values, 'label') ?? DEFAULT_LABEL
      const wanted = textOption(values, 'to')
      if (wanted !== undefined && !isVersionNumber(wanted))
        throw new UsageError('--to must be the number of a version, such as 7')
      const subject = await findSubject(desk, id)
      const life = await readLife(desk, subject)
      const version =
        wanted === undefined
          ? versionBefore(subject, life, label)
          : await existing(desk, subject, life, Number(wanted))
      await existing(desk, subject, life, version.version)
      const targets = [{ ...version, share: 100 }]
      return moveLabel(desk, subject, life, { action: 'rollback', label, targets, version })
    }),
}

async function existing(
  desk: Desk,
  subject: Subject,
  life: WrittenLife,
  number: number,
): Promise<VersionReference> {
  assertVersion(subject, life, number)
  const { digest } = await loadVersion(desk, subject, number)
  return { version: number, digest }
}

/** From the release, else from the history. @throws ServiceError */
function versionBefore({ id }: Subject, { releases, history }: WrittenLife, label: string): VersionReference {
  const release = releases.get(label)?.release
  if (release === undefined) {
    const labels = [...releases.keys()].sort().join(', ')
    const known = labels === '' ? 'it has none' : `it has ${labels}`
    throw new ServiceError('label_not_found', `${id} has no label ${label}: ${known}`)
  }
  const now = new Set(release.targets.map(({ version }) => version))
  const earlier = history
    .flatMap((entry) => (entry?.label === label ? entry.targets : []))
    .toReversed()
    .find(({ version }) => !now.has(version))
  const before = release.previous ?? earlier
  if (before === undefined)
    throw new ServiceError(
      'version_not_found',
      `${id}@${label} never pointed at another version: name one with --to`,
    )
  return { version: before.version, digest: before.digest }
}
