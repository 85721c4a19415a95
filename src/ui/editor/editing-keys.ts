import {
  cursorCharLeft,
  cursorCharRight,
  cursorDocEnd,
  cursorDocStart,
  cursorGroupLeft,
  cursorGroupRight,
  cursorLineBoundaryBackward,
  cursorLineBoundaryForward,
  cursorLineBoundaryLeft,
  cursorLineBoundaryRight,
  cursorLineDown,
  cursorLineUp,
  cursorPageDown,
  cursorPageUp,
  deleteGroupBackward,
  deleteGroupForward,
  deleteLineBoundaryBackward,
  deleteLineBoundaryForward,
  insertNewlineKeepIndent,
  selectAll,
  selectCharLeft,
  selectCharRight,
  selectDocEnd,
  selectDocStart,
  selectGroupLeft,
  selectGroupRight,
  selectLineBoundaryBackward,
  selectLineBoundaryForward,
  selectLineBoundaryLeft,
  selectLineBoundaryRight,
  selectLineDown,
  selectLineUp,
  selectPageDown,
  selectPageUp,
} from '@codemirror/commands'
import { EditorSelection } from '@codemirror/state'
import type { EditorView, KeyBinding } from '@codemirror/view'

const STAY = { preventDefault: true }

/**
 * CodeMirror’s `standardKeymap`. Its Enter, Backspace and Delete ask a syntax tree or the indentation of a language: templates have
 * neither here, and that would be an eighth of the editor.
 */
export const editingKeys: readonly KeyBinding[] = [
  { key: 'ArrowLeft', run: cursorCharLeft, shift: selectCharLeft, ...STAY },
  { key: 'Mod-ArrowLeft', mac: 'Alt-ArrowLeft', run: cursorGroupLeft, shift: selectGroupLeft, ...STAY },
  { mac: 'Cmd-ArrowLeft', run: cursorLineBoundaryLeft, shift: selectLineBoundaryLeft, ...STAY },
  { key: 'ArrowRight', run: cursorCharRight, shift: selectCharRight, ...STAY },
  { key: 'Mod-ArrowRight', mac: 'Alt-ArrowRight', run: cursorGroupRight, shift: selectGroupRight, ...STAY },
  { mac: 'Cmd-ArrowRight', run: cursorLineBoundaryRight, shift: selectLineBoundaryRight, ...STAY },
  { key: 'ArrowUp', run: cursorLineUp, shift: selectLineUp, ...STAY },
  { mac: 'Cmd-ArrowUp', run: cursorDocStart, shift: selectDocStart },
  { mac: 'Ctrl-ArrowUp', run: cursorPageUp, shift: selectPageUp },
  { key: 'ArrowDown', run: cursorLineDown, shift: selectLineDown, ...STAY },
  { mac: 'Cmd-ArrowDown', run: cursorDocEnd, shift: selectDocEnd },
  { mac: 'Ctrl-ArrowDown', run: cursorPageDown, shift: selectPageDown },
  { key: 'PageUp', run: cursorPageUp, shift: selectPageUp },
  { key: 'PageDown', run: cursorPageDown, shift: selectPageDown },
  { key: 'Home', run: cursorLineBoundaryBackward, shift: selectLineBoundaryBackward, ...STAY },
  { key: 'Mod-Home', run: cursorDocStart, shift: selectDocStart },
  { key: 'End', run: cursorLineBoundaryForward, shift: selectLineBoundaryForward, ...STAY },
  { key: 'Mod-End', run: cursorDocEnd, shift: selectDocEnd },
  { key: 'Enter', run: insertNewlineKeepIndent, shift: insertNewlineKeepIndent },
  { key: 'Mod-a', run: selectAll },
  { key: 'Backspace', run: deleteBackward, shift: deleteBackward, ...STAY },
  { key: 'Delete', run: deleteForward, ...STAY },
  { key: 'Mod-Backspace', mac: 'Alt-Backspace', run: deleteGroupBackward, ...STAY },
  { key: 'Mod-Delete', mac: 'Alt-Delete', run: deleteGroupForward, ...STAY },
  { mac: 'Mod-Backspace', run: deleteLineBoundaryBackward, ...STAY },
  { mac: 'Mod-Delete', run: deleteLineBoundaryForward, ...STAY },
]

function deleteBackward(view: EditorView): boolean {
  return deleteCharacter(view, false)
}

function deleteForward(view: EditorView): boolean {
  return deleteCharacter(view, true)
}

/** What is selected, or else the character before or after the cursor. Browsers stop at the messages below lines. */
function deleteCharacter(view: EditorView, forward: boolean): boolean {
  const { state } = view
  const change = state.changeByRange((range) => {
    const { from, to } = range.empty ? range.extend(view.moveByChar(range, forward).head) : range
    return { changes: { from, to }, range: EditorSelection.cursor(from) }
  })
  const userEvent = forward ? 'delete.forward' : 'delete.backward'
  view.dispatch(state.update(change, { scrollIntoView: true, userEvent }))
  return true
}
