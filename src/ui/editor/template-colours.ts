import { type Extension, type Range, StateField, type Text } from '@codemirror/state'
import { Decoration, type DecorationSet, type EditorView, ViewPlugin } from '@codemirror/view'
import { type LexState, nextToken, type TokenKind } from '../highlight/template-lexer.js'

/** Colors templates of both dialects by the lexer that the rest of the page uses: only what is in sight. */
export function templateColours(): Extension {
  const states = StateField.define<readonly LexState[]>({
    create: ({ doc }) => statesOf(doc),
    update: (before, { docChanged, newDoc }) => (docChanged ? statesOf(newDoc) : before),
  })
  const plugin = ViewPlugin.define(
    (view) => ({
      marks: marksOf(view, view.state.field(states)),
      update({ docChanged, viewportChanged, view: { state } }) {
        if (docChanged || viewportChanged) this.marks = marksOf(view, state.field(states))
      },
    }),
    { decorations: ({ marks }) => marks },
  )
  return [states, plugin]
}

/** Where the lexer is at the beginning of every line. */
function statesOf(text: Text): readonly LexState[] {
  let state: LexState = 'text'
  const states: LexState[] = []
  for (const line of text.iterLines()) {
    states.push(state)
    for (let at = 0; at < line.length; ) ({ end: at, state } = nextToken(line, at, state))
  }
  return states
}

function marksOf({ state: { doc }, visibleRanges }: EditorView, states: readonly LexState[]): DecorationSet {
  const marks: Range<Decoration>[] = []
  for (const { from, to } of visibleRanges) {
    const last = doc.lineAt(to).number
    for (let number = doc.lineAt(from).number; number <= last; number += 1) {
      const line = doc.line(number)
      let state = states[number - 1] ?? 'text'
      for (let at = 0; at < line.length; ) {
        const token = nextToken(line.text, at, state)
        if (token.kind !== 'text') marks.push(markOf(token.kind).range(line.from + at, line.from + token.end))
        at = token.end
        state = token.state
      }
    }
  }
  return Decoration.set(marks)
}

function markOf(kind: TokenKind): Decoration {
  return Decoration.mark({ class: `t-${kind}` })
}
