import { history, historyKeymap } from '@codemirror/commands'
import { EditorState } from '@codemirror/state'
import { drawSelection, EditorView, keymap, lineNumbers } from '@codemirror/view'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { type Shell, useShell } from '../shell.js'
import { completion } from './completion.js'
import { editingKeys } from './editing-keys.js'
import { editorTheme } from './editor-theme.js'
import { type Pointed, pointAt, pointedLines } from './pointed-lines.js'
import type { Known } from './suggest.js'
import { templateColours } from './template-colours.js'

interface CodeEditorProps {
  readonly label: string
  readonly text: string
  readonly pointed: readonly Pointed[]
  readonly onText: (text: string) => void
  /** What can be named here; nothing is offered without it. */
  readonly known?: (() => Known) | undefined
  /** Called with the place where somebody puts the cursor. */
  readonly onCursor?: ((place: Cursor) => void) | undefined
}

/** A place in a text, from 1. */
export interface Cursor {
  readonly line: number
  readonly column: number
}

/** An editor for templates. It lives in a shadow root: there its styles need no exception from the page's policy. */
export function CodeEditor({ label, text, pointed, onText, known, onCursor }: CodeEditorProps) {
  const { say } = useShell()
  const host = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(undefined)
  // The editor outlives these: it calls the newest.
  const newest = useRef({ onText, known, onCursor, say })
  newest.current = { onText, known, onCursor, say }
  useEffect(() => {
    if (host.current === null) return
    view.current = createEditor(host.current, label, text, newest)
    return () => view.current?.destroy()
  }, [])
  // What comes from elsewhere, such as a link, replaces what is there. At once: a later key press must not be undone.
  useLayoutEffect(() => {
    const editor = view.current
    if (editor === undefined || editor.state.doc.toString() === text) return
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: text } })
  }, [text])
  const wanted = JSON.stringify(pointed)
  useEffect(() => {
    const editor = view.current
    if (editor === undefined) return
    editor.dispatch({ effects: pointAt.of(pointed) })
    const place = pointed.find(({ kind, line }) => kind === 'place' && line <= editor.state.doc.lines)
    if (place === undefined) return
    const { from } = editor.state.doc.line(place.line)
    editor.dispatch({ effects: EditorView.scrollIntoView(from, { y: 'center' }) })
  }, [wanted])
  return <div ref={host} class="editor" data-editor={label} />
}

const NOTHING: Known = { paths: [], calls: [], prompts: [] }

function createEditor(
  host: HTMLElement,
  label: string,
  text: string,
  newest: { readonly current: Pick<CodeEditorProps, 'onText' | 'known' | 'onCursor'> & Pick<Shell, 'say'> },
): EditorView {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' })
  const extensions = [
    lineNumbers(),
    history(),
    drawSelection(),
    keymap.of([...editingKeys, ...historyKeymap]),
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'false' }),
    EditorView.updateListener.of(({ docChanged, selectionSet, state, view }) => {
      if (docChanged) newest.current.onText(state.doc.toString())
      if (!selectionSet || docChanged || !view.hasFocus) return
      const { head } = state.selection.main
      const line = state.doc.lineAt(head)
      newest.current.onCursor?.({ line: line.number, column: head - line.from + 1 })
    }),
    completion(
      () => newest.current.known?.() ?? NOTHING,
      () => newest.current.say('suggestions'),
    ),
    templateColours(),
    pointedLines(),
    editorTheme,
  ]
  return new EditorView({ root, parent: root, state: EditorState.create({ doc: text, extensions }) })
}
