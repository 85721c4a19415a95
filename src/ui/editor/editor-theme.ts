import type { Extension } from '@codemirror/state'
import { EditorView } from '@codemirror/view'

const KINDS = ['delimiter', 'keyword', 'string', 'number', 'variable', 'field', 'name', 'operator', 'comment']

/**
 * The editor in the page's colors: custom properties reach into the shadow root. One for all editors: the rules of every
 * theme stay in the page for good.
 */
export const editorTheme: Extension = EditorView.theme({
  '&': { color: 'var(--text)', backgroundColor: 'var(--field)', fontSize: '13px', borderRadius: '6px' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-1px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.55' },
  '.cm-content': { caretColor: 'var(--text)', padding: '8px 0' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': { backgroundColor: 'transparent', color: 'var(--quiet)', border: 'none' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    background: 'var(--selection)',
  },
  ...Object.fromEntries(KINDS.map((kind) => [`.t-${kind}`, { color: `var(--t-${kind})` }])),
  '.cm-place': { backgroundColor: 'var(--place)' },
  '.cm-here': { backgroundColor: 'var(--selection)', borderRadius: '3px' },
  '.cm-doubt': { textDecoration: 'underline dashed var(--doubt)', textUnderlineOffset: '3px' },
  '.cm-message': {
    padding: '1px 10px 3px',
    fontFamily: 'var(--sans)',
    fontSize: '12.5px',
    color: 'var(--bad)',
  },
  '.cm-message-doubt': { color: 'var(--doubt)' },
  '.cm-tooltip': { border: 'none', background: 'none' },
  '.cm-offer': {
    listStyle: 'none',
    margin: '0',
    padding: '4px',
    maxHeight: '220px',
    overflowY: 'auto',
    font: '12.5px/1.5 var(--mono)',
    background: 'var(--surface)',
    color: 'var(--text)',
    border: '1px solid var(--border)',
    borderRadius: '8px',
    boxShadow: '0 8px 24px #0003',
  },
  '.cm-offer li': { padding: '2px 10px', borderRadius: '5px', cursor: 'pointer' },
  '.cm-offer li[aria-selected=true]': { background: 'var(--accent-soft)', color: 'var(--accent)' },
  '.cm-error': { textDecoration: 'underline wavy var(--bad)', textUnderlineOffset: '3px' },
})
