import { ServiceError } from '../errors.js'
import type { PromptDefinition } from '../registry/snapshot.js'
import { trimEndWhile } from '../util/text/trim-end-while.js'

/** A piece of a template: text, the name of a variable, or a partial with the same variables. */
export type PlainPiece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'variable'; readonly name: string }
  | { readonly kind: 'partial'; readonly name: string }

/** A template with its name, for people. */
export interface NamedTemplate {
  readonly name: string
  readonly engine: PromptDefinition['engine']
  readonly text: string
}

/** How an engine writes what other services know, too. */
interface Syntax {
  /** What begins an action that trims the text before it, and what ends one that trims the text after it. */
  readonly trimsBefore: RegExp
  readonly trimsAfter: RegExp
  readonly variable: RegExp
  readonly partial: RegExp
  readonly comment: RegExp
}

const SYNTAXES: Readonly<Record<PromptDefinition['engine'], Syntax>> = {
  go: {
    trimsBefore: /^-\s/,
    trimsAfter: /\s-$/,
    variable: /^\s*\.(?:variables|args)\.([A-Za-z_]\w*)\s*$/,
    partial: /^\s*template\s+(?:"([^"\\]+)"|`([^`]+)`)\s+\.\s*$/,
    comment: /^\s*\/\*[\s\S]*\*\/\s*$/,
  },
  handlebars: {
    trimsBefore: /^~/,
    trimsAfter: /~$/,
    variable: /^\s*(?:variables|args)\.([A-Za-z_]\w*)\s*$/,
    // A partial alone on its line changes how the line is printed: that is left to the engine.
    partial: /^(?!)/,
    comment: /^(?!)/,
  },
}

/**
 * Takes apart a template that is nothing but texts, variables of the request and partials with the same variables:
 * what templates of other services can say, too.
 *
 * @throws ServiceError `prompt_not_portable` for any other action
 */
export function plainPieces({ name, engine, text: template }: NamedTemplate): readonly PlainPiece[] {
  const syntax = SYNTAXES[engine]
  if (template.includes('\\{{')) throw notPortable(name, 'it has an escaped brace')
  const pieces: PlainPiece[] = []
  let from = 0
  let trimsStart = false
  const addText = (end: number, trimsEnd: boolean) => {
    const whole = template.slice(from, end)
    const started = trimsStart ? whole.replace(/^[ \t\r\n]+/, '') : whole
    const text = trimsEnd ? trimEndWhile(started, isBlank) : started
    if (text !== '') pieces.push({ kind: 'text', text })
  }
  for (const { start, end } of actionsOf(template)) {
    const inside = template.slice(start + OPEN.length, end - CLOSE.length)
    const [before = ''] = syntax.trimsBefore.exec(inside) ?? []
    addText(start, before !== '')
    from = end
    const rest = inside.slice(before.length)
    const [after = ''] = syntax.trimsAfter.exec(rest) ?? []
    trimsStart = after !== ''
    const piece = pieceOf(name, rest.slice(0, rest.length - after.length), syntax)
    if (piece !== undefined) pieces.push(piece)
  }
  addText(template.length, false)
  return pieces
}

const OPEN = '{{'
const CLOSE = '}}'

/** Where actions are, each with its braces: found by searching, which takes as long as the text is. */
function* actionsOf(template: string): Generator<{ readonly start: number; readonly end: number }> {
  for (let start = template.indexOf(OPEN); start !== -1; ) {
    const close = template.indexOf(CLOSE, start + OPEN.length)
    if (close === -1) return
    const end = close + CLOSE.length
    yield { start, end }
    start = template.indexOf(OPEN, end)
  }
}

function isBlank(character: string): boolean {
  return character === ' ' || character === '\t' || character === '\r' || character === '\n'
}

/**
 * The same text in the syntax of Mustache, with `{{name}}` for variables.
 *
 * @param include the pieces of a partial
 * @throws ServiceError `prompt_not_portable`
 */
export function toMustache(template: NamedTemplate, include: (partial: string) => string): string {
  const written = plainPieces(template).map((piece) => {
    if (piece.kind === 'text') return piece.text
    return piece.kind === 'variable' ? `{{${piece.name}}}` : include(piece.name)
  })
  const text = written.join('')
  // Three braces would mean something else there.
  const isAmbiguous = text.includes('{{{') || text.includes('}}}')
  if (isAmbiguous) throw notPortable(template.name, 'a brace is next to a variable')
  return text
}

/** Says that another service's template cannot hold what a prompt does, and where its text can be had. */
export function notPortable(name: string, reason: string): ServiceError {
  const hint =
    'have this service render it: POST /api/render/prompts/{id}, or /v1/chat/completions with prompt: {id}'
  return new ServiceError(
    'prompt_not_portable',
    `"${name}" is more than text with plain variables: ${reason}`,
    { details: { hint } },
  )
}

function pieceOf(
  name: string,
  action: string,
  { variable: aVariable, partial: aPartial, comment }: Syntax,
): PlainPiece | undefined {
  if (comment.test(action)) return undefined
  const variable = aVariable.exec(action)?.[1]
  if (variable !== undefined) return { kind: 'variable', name: variable }
  const [, quoted, raw] = aPartial.exec(action) ?? []
  const partial = quoted ?? raw
  if (partial !== undefined) return { kind: 'partial', name: partial }
  throw notPortable(name, `it has {{${action.trim()}}}`)
}
