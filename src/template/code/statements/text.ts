import type { Writer } from './writer.js'

/** Static text, which stays due where it may be joined with the text after it. */
export function emitText({ due, context }: Writer, text: string): string {
  due.add(text)
  return context.generation.mode.joinsTexts ? '' : due.flush()
}

/** Makes code that is not at the top of its template: there no text goes straight to where the render writes bytes. */
export function inside({ due }: Writer, make: () => string): string {
  const { isDirect } = due
  due.isDirect = false
  const code = make()
  due.isDirect = isDirect
  return code
}
