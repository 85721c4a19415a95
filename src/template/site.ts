import {
  TemplateError,
  type TemplateErrorCode,
  type TemplateErrorOptions,
  type TemplateFailure,
} from './api.js'
import { quote } from './format/quote.js'
import { hintFor } from './hints.js'
import { goColumnAt, positionAt } from './position.js'
import type { FieldSite, Site } from './program.js'

export type { FieldSite, Site }

export interface FailureOptions {
  readonly code?: TemplateErrorCode
  readonly reason?: TemplateFailure
  readonly cause?: unknown
  readonly paths?: readonly string[]
  /** More facts for the client. */
  readonly facts?: object
}

/** The error of a run at a place, worded and positioned as Go's. */
export function execError(site: Site, message: string, options: FailureOptions = {}): TemplateError {
  const { program, template, node } = site
  const { line, column } = positionAt(program.source, node.position)
  const { dialect } = program.rules
  const shown = dialect === 'go' ? goColumnAt(program.source, node.position) : column
  const place = `${program.name}:${line}:${shown}`
  const written = program.rules.printNode(node)
  const hint = hintFor({
    dialect,
    message,
    text: written,
    before: '',
    suggestions: [],
  })
  const text = `template: ${place}: executing ${quote(template)} at <${written}>: ${message}`
  const details: TemplateErrorOptions = {
    stage: 'exec',
    reason: options.reason ?? 'exec',
    line,
    column,
    template,
    details: {
      line,
      column,
      ...(hint === undefined ? {} : { hint }),
      ...(options.paths === undefined ? {} : { paths: options.paths }),
      ...options.facts,
    },
    ...(options.cause === undefined ? {} : { cause: options.cause }),
    ...(options.paths === undefined ? {} : { paths: options.paths }),
  }
  return new TemplateError(options.code ?? 'template_error', text, details)
}

/** An error with the output that was written before it. */
export function withPartial(error: TemplateError, partial: string): TemplateError {
  return error.with({ partial })
}

/** The function that is called at a place; undefined where none is. */
export function calledAt({ node }: Site): string | undefined {
  const [first] = node.kind === 'command' ? node.operands : [node]
  return first?.kind === 'identifier' ? first.name : undefined
}
