import type { VersionReference } from '../../schema/version.js'
import type { WrittenDocument } from '../../store/catalog-writer.js'
import { isJsonObject, type JsonObject } from '../../util/json/json.js'
import { counted } from '../../util/text/counted.js'
import { historyAddress, pathOfId, releaseAddress, versionAddress } from '../../versions/addresses.js'
import { type Release, writeRelease } from '../../versions/release-document.js'
import { digestOf, makeVersion } from '../../versions/version-document.js'
import { type Command, EXIT, UsageError } from '../command.js'
import { atDesk, type Desk, NOTE_OPTION, printResult, WRITE_OPTIONS } from './desk.js'
import { gateOf } from './gates.js'
import { record } from './move-label.js'
import { findSubject, loadVersion, readLife, type Subject, type WrittenLife } from './read-life.js'
import { removeLabel } from './remove.js'
import { withListItem } from './with-list-item.js'

/** `rename`: another id for a prompt, and an alias for the old one. */
export const rename: Command = {
  usage: ['rename <old id> <new id> [options]'],
  about: `Gives a prompt another id: copies its versions under their numbers, its labels and its document, which gets an alias
with these numbers, so that the old id finds it; agents have no aliases. Removes the old document and its labels; the
old versions stay. Prompts that include it by its old id are not rewritten.`,
  options: { ...WRITE_OPTIONS, ...NOTE_OPTION },
  examples: ['rename review.code_review review.code'],
  positionals: [2, 2],
  run: ([old = '', next = ''], values, context) =>
    atDesk(values, context, async (desk) => {
      const subject = await findSubject(desk, old)
      const { head } = subject
      if (head === undefined) throw new UsageError(`${old} has no document to rename`)
      const life = await readLife(desk, subject)
      const target: Subject = { ...subject, id: next, path: pathOfId(next) }
      assertMovable(desk, subject, life, next)
      const text = await readText(desk, subject)
      const renamed = await copyVersions(desk, subject, target, life)
      const labels = [...life.releases].flatMap(([label, { release }]) =>
        release ? [{ label, release }] : [],
      )
      if (!desk.isDry) await write(desk, subject, target, life, { text, renamed, labels })
      const count = `${counted(renamed.size, 'version')} and ${counted(labels.length, 'label')}`
      const said = desk.isDry ? 'would be renamed' : 'renamed'
      const result = {
        from: old,
        to: next,
        versions: [...renamed.keys()],
        labels: labels.map(({ label }) => label),
      }
      const lost = subject.kind === 'agents' ? [`agents have no aliases: ${old} is not found any more`] : []
      printResult(desk, { ...result, dry_run: desk.isDry }, [
        `${old} -> ${next}  ${said}, with ${count}`,
        ...lost,
      ])
      return EXIT.ok
    }),
}

/** @throws UsageError */
function assertMovable(
  { config, shell }: Desk,
  { kind, head }: Subject,
  life: WrittenLife,
  next: string,
): void {
  const { prompts, agents } = shell.registry.current
  if ((kind === 'agents' ? agents : prompts).has(next)) throw new UsageError(`${next} is there already`)
  if (!/^[^@.:\s]+(\.[^@.:\s]+)*$/.test(next))
    throw new UsageError(`${next} is not a valid id: use words separated by dots, such as review.code`)
  if (head !== undefined && 'origin' in head && head.origin !== 'direct')
    throw new UsageError('it has no document of its own: rename it in its extension')
  const gated = [...life.releases.keys()].find((label) => gateOf(config, label) !== undefined)
  if (gated !== undefined)
    throw new UsageError(
      `${gated} has a gate: publish the prompt under its new id, and have that promoted and signed`,
    )
}

/** The references of the new versions, by number. A version is tied to its id, so its digest is another one. */
async function copyVersions(
  desk: Desk,
  subject: Subject,
  target: Subject,
  life: WrittenLife,
): Promise<ReadonlyMap<number, VersionReference>> {
  const { kind, id, path } = target
  const renamed = new Map<number, VersionReference>()
  for (const number of life.numbers) {
    const version = { ...(await loadVersion(desk, subject, number)), kind, id }
    renamed.set(number, { version: number, digest: digestOf(version) })
    const isThere =
      !desk.isDry && !(await desk.writer.create(versionAddress(kind, path, number), makeVersion(version)))
    if (isThere) await loadVersion(desk, target, number)
  }
  return renamed
}

/** What is written under the new id. */
interface Renamed {
  /** The document as it was read. */
  readonly text: HeadText
  /** The references of the new versions, by number. */
  readonly renamed: ReadonlyMap<number, VersionReference>
  readonly labels: readonly { readonly label: string; readonly release: Release }[]
}

async function write(
  desk: Desk,
  subject: Subject,
  target: Subject,
  life: WrittenLife,
  { text: head, renamed, labels }: Renamed,
): Promise<void> {
  const { writer } = desk
  const { kind } = subject
  const text = kind === 'agents' ? head.text : withAlias(head, subject.id, [...renamed.keys()])
  if (!(await writer.createText(target, text, subject))) throw new Error(`${target.id} is there already`)
  const history = historyAddress(kind, target.path)
  await record(desk, history, { action: 'rename', targets: [], other: subject.id })
  for (const { label, release } of labels) {
    const moved = renamedRelease(release, renamed)
    await writer.create(releaseAddress(kind, target.path, label), writeRelease(moved))
    const { targets, sequence } = moved
    await record(desk, history, { action: 'rename', label, targets, sequence, other: subject.id })
  }
  for (const { label } of labels) await removeLabel(desk, subject, life, label)
  if (!(await writer.replace(subject, head.text, undefined)))
    desk.stderr(`warning: the document of ${subject.id} changed meanwhile and stays\n`)
  await record(desk, historyAddress(kind, subject.path), { action: 'rename', targets: [], other: target.id })
}

/** The document as its author wrote it, and the id that it had, with the numbers that its versions keep. */
function withAlias({ text, value, format }: HeadText, id: string, numbers: readonly number[]): string {
  const versions = Object.fromEntries(numbers.map((number) => [String(number), number]))
  return withListItem(text, value, format === 'yaml', { name: 'aliases', item: { id, versions } })
}

/** A document as it is stored. */
interface HeadText extends WrittenDocument {
  readonly value: JsonObject
}

/** @throws UsageError for a document that cannot be read */
async function readText({ writer }: Desk, subject: Subject): Promise<HeadText> {
  const head = await writer.read(subject)
  const value = head?.value
  if (head === undefined || value === undefined || !isJsonObject(value))
    throw new UsageError(`the document of ${subject.id} cannot be read: fix it first`)
  return { ...head, value }
}

function renamedRelease(release: Release, renamed: ReadonlyMap<number, VersionReference>): Release {
  const referenceOf = <Reference extends VersionReference>(reference: Reference): Reference => ({
    ...reference,
    digest: renamed.get(reference.version)?.digest ?? reference.digest,
  })
  return {
    ...release,
    targets: release.targets.map(referenceOf),
    previous: release.previous && referenceOf(release.previous),
    signatures: [],
  }
}
