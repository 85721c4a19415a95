/** The part of a terminal that a view needs; absent where output goes to a file or a pipe. */
export interface Screen {
  readonly columns: number
  readonly rows: number
  /** Whether to use colors: not with `NO_COLOR`. */
  readonly colors: boolean
  write(text: string): void
}

/** A terminal's stream as a screen; undefined if it is invalid, or one that cannot move its cursor. */
export function screenOf(
  stream: NodeJS.WriteStream,
  { TERM, NO_COLOR }: Readonly<Record<string, string | undefined>>,
): Screen | undefined {
  if (!stream.isTTY || TERM === 'dumb') return undefined
  return {
    get columns() {
      return stream.columns
    },
    get rows() {
      return stream.rows
    },
    colors: (NO_COLOR ?? '') === '',
    write: (text) => void stream.write(text),
  }
}

/** Lines that are drawn again in the place where they were; what scrolled out of the screen stays as it is. */
export class LiveLines {
  readonly #screen: Screen
  #drawn = 0

  constructor(screen: Screen) {
    this.#screen = screen
  }

  /** Shows these lines in place of those before. No line may be wider than the screen. */
  draw(lines: readonly string[]): void {
    const { rows } = this.#screen
    // What does not fit is left out above: the newest is below.
    const shown = lines.slice(-Math.max(1, rows - 1))
    const back = this.#drawn === 0 ? '' : `\u001b[${this.#drawn}A`
    this.#screen.write(`${back}\u001b[J${shown.map((line) => `${line}\n`).join('')}`)
    this.#drawn = shown.length
  }
}
