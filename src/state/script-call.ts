/** The arguments of one script: a JSON object of small things, and texts of callers that it names by number. */
export class ScriptCall {
  readonly #control: Record<string, unknown> = {}
  readonly #texts: string[] = []

  /** Sets a small thing; undefined is left out. */
  set(name: string, value: unknown): this {
    if (value !== undefined) this.#control[name] = value
    return this
  }

  /** Adds a text and returns its number. */
  add(text: string): number {
    this.#texts.push(text)
    // Lua counts from 1, and the control object is the first argument.
    return this.#texts.length + 1
  }

  /** Adds a text, if there is one, and names its number. */
  text(name: string, text: string | undefined): this {
    return text === undefined ? this : this.set(name, this.add(text))
  }

  /** The arguments as they are sent; `again` tells the script that it may have run before. */
  toArguments(again = false): string[] {
    const control = again ? { ...this.#control, again } : this.#control
    return [JSON.stringify(control), ...this.#texts]
  }
}
