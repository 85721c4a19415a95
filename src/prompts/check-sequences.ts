import { findPartProblem } from '../conversation/content-part.js'
import { findSequenceViolations, type SequenceRule } from '../conversation/validate-messages.js'
import type { Diagnostic, PromptEntry, Snapshot } from '../registry/snapshot.js'

/** What the messages of a request may still put right, or what some providers accept. */
const WARNINGS: ReadonlySet<SequenceRule> = new Set(['repeated_role', 'unanswered'])

/** What is wrong with the messages of registered prompts as conversations, by the rules of `validateMessages`. */
export function checkSequences({ prompts }: Snapshot): readonly Diagnostic[] {
  return prompts.ids().flatMap((id) => {
    const entry = prompts.get(id)
    return entry === undefined ? [] : [...sequenceProblems(entry), ...partProblems(entry)]
  })
}

function sequenceProblems(entry: PromptEntry): readonly Diagnostic[] {
  const { body } = entry.definition
  if (body.kind === 'prompt') return []
  return findSequenceViolations(body.messages).map(({ index, rule, reason }) =>
    diagnostic(entry, `${index === null ? 'messages' : `messages[${index}]`}: ${reason}`, WARNINGS.has(rule)),
  )
}

/** A newer type may well be right, so it is only pointed out. */
function partProblems(entry: PromptEntry): readonly Diagnostic[] {
  const { body } = entry.definition
  if (body.kind === 'prompt') return []
  return body.messages.flatMap(({ content }, index) =>
    typeof content === 'string'
      ? []
      : content.flatMap((part, at) => {
          const problem = findPartProblem(part)
          return problem === undefined
            ? []
            : diagnostic(entry, `messages[${index}].content[${at}]: ${problem}`, true)
        }),
  )
}

function diagnostic(entry: PromptEntry, message: string, isWarning: boolean): Diagnostic {
  const { id, extension, location } = entry
  return {
    kind: extension === undefined ? 'templates' : 'extensions',
    id: extension ?? id,
    location,
    code: 'invalid_sequence',
    message,
    severity: isWarning ? 'warning' : 'error',
    servingLastGood: false,
    ...(extension === undefined ? {} : { prompt: id }),
  }
}
