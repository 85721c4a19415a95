import type { PromptDetail } from '../../api/shapes.js'

/** What is written in a document that cannot be read; undefined for one that can. */
export function sourceOf(detail: PromptDetail | undefined): string | undefined {
  const source = detail?.revision === null ? detail['source'] : undefined
  return typeof source === 'string' ? source : undefined
}
