import type { Part } from './protocol.js'

/** A part of text that may continue. */
type Growing = { readonly kind: 'text' | 'reasoning'; text: string }

/** The parts of one answer, put together as they come: text that was handed on in pieces is one part again. */
export class PartList {
  readonly #parts: Part[] = []
  #growing: Growing | undefined

  get parts(): readonly Part[] {
    return this.#parts
  }

  add(parts: readonly Part[]): void {
    for (const part of parts) this.#addOne(part)
  }

  #addOne(part: Part): void {
    if (part.kind !== 'text' && part.kind !== 'reasoning') {
      this.#growing = undefined
      this.#parts.push(part)
    } else if (this.#growing?.kind === part.kind) this.#growing.text += part.text
    else {
      this.#growing = { kind: part.kind, text: part.text }
      this.#parts.push(this.#growing)
    }
  }
}
