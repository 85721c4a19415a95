import { findPartProblem } from '../conversation/content-part.js'
import { findSequenceViolations, type SequenceRule } from '../conversation/validate-messages.js'
import { type DocumentPath, describePath } from '../registry/document-path.js'
import { locatorOf } from '../registry/locate.js'
import { subjectOf, writtenPrompt } from '../registry/prompt-place.js'
import type { Diagnostic, MessageSource, PromptEntry, Snapshot } from '../registry/snapshot.js'
import type { Sliced } from '../util/slices/sliced.js'

/** What the messages of a request may still put right, or what some providers accept. */
const WARNINGS: ReadonlySet<SequenceRule> = new Set(['repeated_role', 'unanswered'])

/** More about one prompt is not reported. */
const MAX_FINDINGS = 50

/**
 * What is wrong with a prompt's messages as a conversation, by the rules of `validateMessages`. Stops before each place that
 * is looked for, as each goes through the document.
 */
export function* checkSequence(prompt: PromptEntry, snapshot: Snapshot): Sliced<readonly Diagnostic[]> {
  const { body } = prompt.definition
  if (body.kind === 'prompt') return []
  const problems = [...sequenceProblems(body.messages), ...partProblems(body.messages)]
  if (problems.length === 0) return []
  const { source, path } = writtenPrompt(prompt, snapshot)
  const locator = locatorOf(source)
  const found: Diagnostic[] = []
  for (const problem of problems.slice(0, MAX_FINDINGS)) {
    yield
    found.push({
      ...subjectOf(prompt),
      code: 'invalid_sequence',
      message: `${describePath(problem.path)}: ${problem.reason}`,
      severity: problem.isWarning ? 'warning' : 'error',
      servingLastGood: false,
      ...locator?.locate({ path: [...path, ...problem.path] }),
    })
  }
  return found
}

interface MessageProblem {
  readonly path: DocumentPath
  readonly reason: string
  readonly isWarning: boolean
}

function sequenceProblems(messages: readonly MessageSource[]): readonly MessageProblem[] {
  return findSequenceViolations(messages).map(({ index, rule, reason }) => ({
    path: index === null ? ['messages'] : ['messages', index],
    reason,
    isWarning: WARNINGS.has(rule),
  }))
}

/** A newer type may well be right, so it is only pointed out. */
function partProblems(messages: readonly MessageSource[]): readonly MessageProblem[] {
  return messages.flatMap(({ content }, index) =>
    typeof content === 'string'
      ? []
      : content.flatMap((part, at) => {
          const reason = findPartProblem(part)
          return reason === undefined
            ? []
            : [{ path: ['messages', index, 'content', at], reason, isWarning: true }]
        }),
  )
}
