import { history, historyKeymap } from '@codemirror/commands'
import { EditorState } from '@codemirror/state'
import { drawSelection, EditorView, keymap, lineNumbers } from '@codemirror/view'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { editorTheme } from './editor-theme.js'
import { type Pointed, pointAt, pointedLines } from './pointed-lines.js'
import { templateColours } from './template-colours.js'

interface CodeEditorProps {
  readonly label: string
  readonly text: string
  readonly pointed: readonly Pointed[]
  readonly onText: (text: string) => void
}

/** An editor for templates. It lives in a shadow root: there its styles need no exception from the page's policy. */
export function CodeEditor({ label, text, pointed, onText }: CodeEditorProps) {
  const host = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(undefined)
  const tell = useRef(onText)
  tell.current = onText
  useEffect(() => {
    if (host.current === null) return
    view.current = createEditor(host.current, label, text, (next) => tell.current(next))
    return () => view.current?.destroy()
  }, [])
  // What comes from elsewhere, such as a link, replaces what is there. At once: a later key must not be taken back.
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

function createEditor(
  host: HTMLElement,
  label: string,
  text: string,
  onText: (text: string) => void,
): EditorView {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' })
  const extensions = [
    lineNumbers(),
    history(),
    drawSelection(),
    keymap.of(historyKeymap),
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'false' }),
    EditorView.updateListener.of(({ docChanged, state }) => {
      if (docChanged) onText(state.doc.toString())
    }),
    templateColours(),
    pointedLines(),
    editorTheme(),
  ]
  return new EditorView({ root, parent: root, state: EditorState.create({ doc: text, extensions }) })
}
