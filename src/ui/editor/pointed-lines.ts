import { type Extension, type Range, StateEffect, StateField, type Text } from '@codemirror/state'
import { Decoration, type DecorationSet, EditorView, WidgetType } from '@codemirror/view'

/** What to point at: a line, or a stretch of it. */
export interface Pointed {
  /** From 1. */
  readonly line: number
  /** From 1; to `endColumn`, else to the line's end. */
  readonly column?: number
  readonly endColumn?: number
  readonly kind: 'place' | 'error' | 'doubt'
  /** Is shown below the line. */
  readonly message?: string
}

/** Points at these lines, and at no others. */
export const pointAt = StateEffect.define<readonly Pointed[]>()

/** Shows what is pointed at. */
export function pointedLines(): Extension {
  return StateField.define<DecorationSet>({
    create: () => Decoration.none,
    update(marks, { changes, effects, newDoc }) {
      const asked = effects.find((effect) => effect.is(pointAt))
      return asked === undefined ? marks.map(changes) : toMarks(asked.value, newDoc)
    },
    provide: (field) => EditorView.decorations.from(field),
  })
}

function toMarks(pointed: readonly Pointed[], text: Text): DecorationSet {
  const marks = pointed
    .filter(({ line }) => line >= 1 && line <= text.lines)
    .flatMap((each) => [...marksOf(each, text), ...messageOf(each, text)])
  return Decoration.set(marks, true)
}

function marksOf(
  { line, column, endColumn = Number.MAX_SAFE_INTEGER, kind }: Pointed,
  text: Text,
): readonly Range<Decoration>[] {
  const { from, to } = text.line(line)
  const whole = Decoration.line({ class: `cm-${kind}` }).range(from)
  if (column === undefined) return [whole]
  const [start, end] = [Math.min(from + column - 1, to), Math.min(from + endColumn - 1, to)]
  const name = kind === 'place' ? 'cm-here' : `cm-${kind}`
  const stretch = start < end ? [Decoration.mark({ class: name }).range(start, end)] : []
  if (kind === 'place') return [whole, ...stretch]
  return stretch.length > 0 ? stretch : [whole]
}

function messageOf({ line, kind, message }: Pointed, text: Text): readonly Range<Decoration>[] {
  if (message === undefined) return []
  const widget = new Message(message, kind)
  return [Decoration.widget({ widget, block: true, side: 1 }).range(text.line(line).to)]
}

/** What is wrong with the line above. */
class Message extends WidgetType {
  readonly #text: string
  readonly #kind: Pointed['kind']

  constructor(text: string, kind: Pointed['kind']) {
    super()
    this.#text = text
    this.#kind = kind
  }

  override eq(other: Message): boolean {
    return other.#text === this.#text && other.#kind === this.#kind
  }

  toDOM(): HTMLElement {
    const line = document.createElement('div')
    line.className = `cm-message cm-message-${this.#kind}`
    line.textContent = this.#text
    return line
  }
}
