import { LABEL_PATTERN, VERSION_PATTERN } from '../schema/version.js'

/** Which text of a prompt is meant: a version, or what a label points at. */
export type PromptChoice =
  | { readonly version: number; readonly label?: undefined }
  | { readonly label: string; readonly version?: undefined }

/** An id as somebody wrote it: the prompt's own, and the choice where it says one. */
export interface ChosenId {
  readonly id: string
  readonly choice?: PromptChoice
}

const VERSION = new RegExp(`^${VERSION_PATTERN}$`)
const LABEL = new RegExp(`^${LABEL_PATTERN}$`)

/** True for a version's number as text: digits that do not begin with 0. */
export function isVersionNumber(text: string): boolean {
  return VERSION.test(text)
}

/** True for a label's name. */
export function isLabel(text: string): boolean {
  return LABEL.test(text)
}

/** The choice that a text says, such as `8` or `production`; undefined where it says none. */
export function readChoice(text: string): PromptChoice | undefined {
  if (isVersionNumber(text)) return { version: Number(text) }
  return isLabel(text) ? { label: text } : undefined
}

/** The choice as a person types it: `8` or `production`. */
export function choiceText(choice: PromptChoice): string {
  return choice.label ?? String(choice.version)
}

/**
 * Takes an id apart: `review.code_review@8`, `review.code_review@production`. The part after the last `@` that is
 * neither a version nor a label belongs to the id. Ids of contributed prompts may contain `@` too, so look for the whole
 * text first where they can be meant.
 */
export function splitChoice(text: string): ChosenId {
  const mark = text.lastIndexOf('@')
  if (mark <= 0) return { id: text }
  const choice = readChoice(text.slice(mark + 1))
  return choice === undefined ? { id: text } : { id: text.slice(0, mark), choice }
}
