import { createInterface, type Interface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'

/** Asks a person, line by line. */
export interface Terminal {
  /**
   * The next line, without its end; undefined when there are no more. Prints the question first; where lines come from a
   * file or a pipe, a mere sign such as `> ` is not printed.
   */
  ask(question: string): Promise<string | undefined>
  close(): void
}

/** Reads lines of an input, which is not touched before the first question; questions go to `output`. */
export function createTerminal(input: Readable & { readonly isTTY?: boolean }, output: Writable): Terminal {
  let lines: Interface | undefined
  let iterator: AsyncIterator<string> | undefined
  return {
    async ask(question) {
      output.write(input.isTTY === true ? question : inOneLine(question))
      lines ??= createInterface({ input })
      iterator ??= lines[Symbol.asyncIterator]()
      const { done, value } = await iterator.next()
      return done === true ? undefined : value
    },
    close: () => lines?.close(),
  }
}

/** Nobody ends the line of a question whose answer is not typed. */
function inOneLine(question: string): string {
  return /\w/.test(question) ? `${question.trimEnd()}\n` : ''
}
