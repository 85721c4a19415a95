import { compileFound } from '../../prompts/compile-found.js'
import { findPrompt } from '../../prompts/find-prompt.js'
import type { JsonObject } from '../../util/json/json.js'
import { readChoice } from '../../versions/prompt-choice.js'
import type { Release } from '../../versions/release-document.js'
import type { CarriedPartials } from '../../versions/version-document.js'
import { type Command, EXIT, type OptionValues, UsageError } from '../command.js'
import { conversationText } from '../conversation-text.js'
import { compareDocuments, type Documents, describeChange, describeWords } from '../document-diff.js'
import { readVariables, VARIABLE_OPTIONS } from '../variables.js'
import { carriedBy } from './carried.js'
import { atDesk, type Desk, printResult, READ_OPTIONS } from './desk.js'
import {
  assertVersion,
  findSubject,
  loadVersion,
  readLife,
  releaseAt,
  type Subject,
  type WrittenLife,
} from './read-life.js'

/** `diff`: two versions, with what they include. */
export const diff: Command = {
  usage: ['diff <id> [from] [to] [options]'],
  about: `Shows what differs between two texts of a prompt, line by line, with the prompts that they include. A text is named by
a version, by a label, or as head: the document that is edited. Default: from the newest version to head. Exits with
code 0 whether they differ or not. With variables it compares what the texts render to. --words marks the words that
differ: [-taken away-] and {+added+}.`,
  options: {
    ...READ_OPTIONS,
    ...VARIABLE_OPTIONS,
    words: { type: 'boolean', help: 'mark the words that differ, in place of lines' },
  },
  examples: ['diff review.code_review', 'diff review.code_review production 8 --vars variables.json'],
  positionals: [1, 3],
  run: ([asked = '', from, to = HEAD], values, context) =>
    atDesk(values, context, async (desk) => {
      const subject = await findSubject(desk, asked)
      const { id } = subject
      const life = await readLife(desk, subject)
      const start = from ?? String(life.numbers.at(-1) ?? '')
      if (start === '') throw new UsageError(`${id} has no versions to compare with: publish it`)
      const isRendered = values['vars'] !== undefined || values['var'] !== undefined
      const read = (word: string) =>
        isRendered ? renderOf(desk, subject, life, word, values) : textsOf(desk, subject, life, word)
      const before = await read(start)
      const after = await read(to)
      const changes = compareDocuments(after, before, true)
      const lines = changes.map(values['words'] === true ? describeWords : describeChange)
      const same = `${id}: ${start} and ${to} are the same`
      printResult(desk, { id, from: start, to, changes }, lines.length === 0 ? [same] : lines)
      return EXIT.ok
    }),
}

/** The document that is edited. */
const HEAD = 'head'

/** What a text renders to, with the variables of the command line. */
async function renderOf(
  { shell }: Desk,
  subject: Subject,
  life: WrittenLife,
  word: string,
  values: OptionValues,
): Promise<Documents> {
  if (subject.kind === 'agents') throw new UsageError('agents are not rendered: leave the variables out')
  const asked = word === HEAD ? {} : { version: numberOf(subject, life, word) }
  const found = compileFound(shell.registry, await findPrompt(shell.registry, subject.id, asked))
  const rendered = await shell.renderer.render({
    ...found,
    variables: readVariables(values, found.definition.parameters),
    call: { requestId: 'cli', signal: new AbortController().signal },
  })
  const text = rendered.kind === 'prompt' ? rendered.text : conversationText(rendered.messages)
  return new Map([[subject.id, text]])
}

/** The prompt and what it includes, by id. */
async function textsOf(desk: Desk, subject: Subject, life: WrittenLife, word: string): Promise<Documents> {
  if (word === HEAD) {
    if (subject.head === undefined)
      throw new UsageError(`${subject.id} has no head any more: name two versions`)
    const partials = await carriedBy(desk, subject.head)
    return documentsOf(subject.id, subject.head.document, partials)
  }
  const { document, partials } = await loadVersion(desk, subject, numberOf(subject, life, word))
  return documentsOf(subject.id, document, partials)
}

function documentsOf(id: string, document: JsonObject, partials: CarriedPartials): Documents {
  return new Map<string, JsonObject>([
    [id, document],
    ...[...partials].map(([name, carried]) => [name, carried.document] as const),
  ])
}

/** @throws UsageError, ServiceError */
function numberOf(subject: Subject, life: WrittenLife, word: string): number {
  const choice = readChoice(word)
  if (choice === undefined) throw new UsageError(`${word}: name a version, a label, or ${HEAD}`)
  const number = choice.version ?? largestOf(releaseAt(subject, life, choice.label))
  assertVersion(subject, life, number)
  return number
}

/** Of a split the version with most requests. */
function largestOf({ targets }: Release): number {
  return targets.reduce((most, target) => (target.share > most.share ? target : most)).version
}
