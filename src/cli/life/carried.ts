import { templatesOf } from '../../prompts/templates-of.js'
import type { AgentEntry, PromptEntry } from '../../registry/snapshot.js'
import { isJsonObject } from '../../util/json/json.js'
import { pathOfId } from '../../versions/addresses.js'
import { splitChoice } from '../../versions/prompt-choice.js'
import type { Carried, CarriedPartials } from '../../versions/version-document.js'
import { UsageError } from '../command.js'
import type { Desk } from './desk.js'
import { readLife, releaseAt, type Subject, versionDocument } from './read-life.js'

/**
 * Every prompt that a head includes, at any depth and in circles, wherever it was written: of the catalog, of an
 * extension, or of the package. A partial that names a version or a label is carried as that version.
 *
 * @throws Error for an included prompt that is not there
 */
export async function carriedBy(desk: Desk, head: PromptEntry | AgentEntry): Promise<CarriedPartials> {
  const carried = new Map<string, Carried>()
  const waiting = [...includedBy(desk, head)]
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (carried.has(name)) continue
    const prompt = desk.shell.registry.current.prompts.get(name)
    const pinned = prompt === undefined || isStamped(prompt) ? await pinnedPartial(desk, name) : undefined
    if (pinned !== undefined) carried.set(name, pinned)
    else if (prompt === undefined) throw new Error(`it includes ${name}, which is not in the catalog`)
    else {
      carried.set(name, { from: originOf(desk, prompt), document: prompt.document })
      waiting.push(...includedBy(desk, prompt))
    }
  }
  return new Map([...carried].sort(([one], [other]) => (one < other ? -1 : 1)))
}

/** The names of what its templates include, and the prompt that opens an agent's system message. */
function includedBy({ shell }: Desk, entry: PromptEntry | AgentEntry): readonly string[] {
  const { registry } = shell
  const isAgent = 'instructions' in entry
  const texts = isAgent ? entry.instructions : entry
  const named =
    texts === undefined
      ? []
      : templatesOf(registry.compiled(registry.current, texts)).flatMap(({ references }) =>
          references.partials.map(({ name }) => name),
        )
  const opening = isAgent ? entry.definition.prompt : undefined
  return opening === undefined ? named : [opening, ...named]
}

function isStamped({ document }: PromptEntry): boolean {
  return isJsonObject(document['x-version'] ?? null)
}

/** `review.rules@3` or `review.rules@production`, as it is now. */
async function pinnedPartial(desk: Desk, name: string): Promise<Carried | undefined> {
  const { id, choice } = splitChoice(name)
  if (choice === undefined) return undefined
  const head = desk.shell.registry.current.prompts.get(id)
  const path = (head?.origin === 'direct' ? desk.writer.pathOf(head.location) : undefined) ?? pathOfId(id)
  const subject = { kind: 'templates', id, path } as const
  const number = choice.version ?? (await labelled(desk, subject, choice.label, name))
  return { from: `version ${number} of ${id}`, document: await versionDocument(desk, subject, number) }
}

async function labelled(
  desk: Desk,
  subject: Omit<Subject, 'head'>,
  label: string,
  name: string,
): Promise<number> {
  const { targets } = releaseAt(subject, await readLife(desk, subject), label)
  const [target] = targets
  if (target === undefined || targets.length > 1)
    throw new UsageError(`it includes ${name}, and this label is split: name a version`)
  return target.version
}

function originOf({ writer }: Desk, { origin, extension, location }: PromptEntry): string {
  if (origin === 'bundled') return 'bundled'
  if (extension !== undefined) return `extensions:${extension}`
  return `templates:${(writer.pathOf(location) ?? [location]).join(':')}`
}
