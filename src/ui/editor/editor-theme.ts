import type { Extension } from '@codemirror/state'
import { EditorView } from '@codemirror/view'

const KINDS = ['delimiter', 'keyword', 'string', 'number', 'variable', 'field', 'name', 'operator', 'comment']

/** The editor in the page's colours: custom properties reach into the shadow root. */
export function editorTheme(): Extension {
  return EditorView.theme({
    '&': { color: 'var(--text)', backgroundColor: 'var(--field)', fontSize: '13px', borderRadius: '6px' },
    '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-1px' },
    '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.55', maxHeight: '60vh' },
    '.cm-content': { caretColor: 'var(--text)', padding: '8px 0' },
    '.cm-cursor': { borderLeftColor: 'var(--text)' },
    '.cm-gutters': { backgroundColor: 'transparent', color: 'var(--quiet)', border: 'none' },
    '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
      background: 'var(--selection)',
    },
    ...Object.fromEntries(KINDS.map((kind) => [`.t-${kind}`, { color: `var(--t-${kind})` }])),
    '.cm-place': { backgroundColor: 'var(--place)' },
    '.cm-error': { textDecoration: 'underline wavy var(--bad)', textUnderlineOffset: '3px' },
  })
}
