import type { Message } from '../../conversation/message.js'
import { ServiceError } from '../../errors.js'

/** What of an Ollama Modelfile says how its model is asked. */
export interface Modelfile {
  readonly template: string
  /** Said first, unless the conversation begins with a system message. */
  readonly system: string | undefined
  /** In front of every conversation. */
  readonly messages: readonly Message[]
}

const COMMAND = /[ \t\r\n]*(?:#[^\r\n]*|([A-Za-z]+)[ \t]+)/y
const ROLE = /[ \t]*(system|user|assistant)[ \t]+/y
const QUOTE = '"""'

/**
 * Reads the instructions `TEMPLATE`, `SYSTEM` and `MESSAGE` of a Modelfile; the last `TEMPLATE` and the last `SYSTEM`
 * count.
 *
 * @throws ServiceError `invalid_request` for an invalid instruction, or without a template
 */
export function parseModelfile(text: string): Modelfile {
  const reader = new ModelfileReader(text)
  let template: string | undefined
  let system: string | undefined
  const messages: Message[] = []
  for (let command = reader.command(); command !== undefined; command = reader.command()) {
    const role = command === 'message' ? reader.role() : undefined
    const value = reader.value()
    if (command === 'template') template = value
    else if (command === 'system') system = value
    else if (role !== undefined) messages.push({ role, content: value })
  }
  if (template === undefined) throw invalid('The Modelfile has no TEMPLATE')
  return { template, system, messages }
}

class ModelfileReader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  /** The next instruction in small letters; comments are skipped. */
  command(): string | undefined {
    for (;;) {
      const found = this.#match(COMMAND)
      if (found?.[1] !== undefined) return found[1].toLowerCase()
      if (found !== undefined) continue
      if (this.#text.slice(this.#at).trim() === '') return undefined
      throw invalid(`Line ${this.#line()} of the Modelfile has no instruction with a value`)
    }
  }

  role(): Message['role'] {
    const role = this.#match(ROLE)?.[1]
    if (role === 'system' || role === 'user' || role === 'assistant') return role
    throw invalid(`Line ${this.#line()}: MESSAGE needs a role: system, user or assistant`)
  }

  /** The rest of the line, or the text between quotation marks. */
  value(): string {
    const quote = [QUOTE, '"'].find((mark) => this.#text.startsWith(mark, this.#at))
    if (quote === undefined) return this.#restOfLine()
    for (let from = this.#at + quote.length; ; ) {
      const end = this.#text.indexOf(quote, from)
      if (end === -1) throw invalid(`Line ${this.#line()}: the closing ${quote} is missing`)
      const behind = /^[ \t]*(?:\r?\n|$)/.test(this.#text.slice(end + quote.length, end + quote.length + 256))
      if (!behind) {
        from = end + 1
        continue
      }
      const value = this.#text.slice(this.#at + quote.length, end)
      this.#at = end + quote.length
      return value
    }
  }

  #restOfLine(): string {
    const end = this.#text.indexOf('\n', this.#at)
    const line = this.#text.slice(this.#at, end === -1 ? undefined : end)
    this.#at += line.length
    return line.trim()
  }

  #match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text) ?? undefined
    if (found !== undefined) this.#at += found[0].length
    return found
  }

  #line(): number {
    return this.#text.slice(0, this.#at).split('\n').length
  }
}

function invalid(message: string): ServiceError {
  return new ServiceError('invalid_request', message)
}
