/** The labels that break and continue jump to; empty outside loops. */
export interface Loop {
  readonly break: string
  readonly continue: string
}

/** The loop around a part: leaving it is up to the function that called the part. */
export const OUTER_LOOP: Loop = { break: '@1', continue: '@2' }

/** The loops around a place in one function, and the names of their labels. */
export class Loops {
  readonly #around: Loop[]
  #count = 0

  constructor(outer: Loop | undefined) {
    this.#around = outer === undefined ? [] : [outer]
  }

  get innermost(): Loop | undefined {
    return this.#around.at(-1)
  }

  /** A label that no other loop of the function has. */
  newLabel(): string {
    return `loop${this.#count++}`
  }

  /** Makes code that stands inside of a loop. */
  within<Code>(loop: Loop, make: () => Code): Code {
    this.#around.push(loop)
    const code = make()
    this.#around.pop()
    return code
  }

  /** Leaves the innermost loop, or its round; in a part it returns with what the caller shall do. */
  leave(keyword: 'break' | 'continue'): string {
    return leaveTo(this.innermost?.[keyword] ?? '', keyword)
  }
}

function leaveTo(label: string, keyword: 'break' | 'continue'): string {
  if (label === '') return ''
  return label.startsWith('@') ? `{locals[0]=${label.slice(1)};return out}` : `${keyword} ${label};`
}
