import type { PromptDetail } from '../../api/shapes.js'
import type { Workbench } from './workbench.js'

/** What is written in a document that cannot be read; undefined for one that can. */
export function sourceOf(detail: PromptDetail | undefined): string | undefined {
  const source = detail?.revision === null ? detail['source'] : undefined
  return typeof source === 'string' ? source : undefined
}

/** True while nothing can be rendered: the head of the page says why. */
export function isUnreadable({ detail, draft }: Workbench): boolean {
  return draft.value === undefined && sourceOf(detail.value) !== undefined
}
