import { type Extension, StateEffect, StateField, type Text } from '@codemirror/state'
import { Decoration, type DecorationSet, EditorView } from '@codemirror/view'

/** What to point at: a line, or from a column of it to its end. */
export interface Pointed {
  /** From 1. */
  readonly line: number
  readonly column?: number
  readonly kind: 'place' | 'error'
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
    .map(({ line, column = 0, kind }) => {
      const { from, to } = text.line(line)
      if (kind === 'place') return Decoration.line({ class: 'cm-place' }).range(from)
      const start = Math.min(from + column, to)
      return start < to
        ? Decoration.mark({ class: 'cm-error' }).range(start, to)
        : Decoration.line({ class: 'cm-error' }).range(from)
    })
  return Decoration.set(marks, true)
}
