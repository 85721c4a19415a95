import { useSignal } from '@preact/signals'
import { useLayoutEffect } from 'preact/hooks'
import { ApiError } from '../api/api-error.js'
import type { JsonObject } from '../api/shapes.js'
import { type DocumentText, textsOf, withText } from '../draft/document-texts.js'
import type { Workbench } from '../pages/prompt/workbench.js'
import { useShell } from '../shell.js'
import { CodeEditor } from './code-editor.js'
import type { Pointed } from './pointed-lines.js'

interface DraftEditorProps {
  readonly bench: Workbench
  /** The document as JSON, not only its texts. */
  readonly whole: boolean
}

/** Edits a draft: text by text, or the whole document. */
export function DraftEditor({ bench, whole }: DraftEditorProps) {
  const draft = bench.draft.value ?? {}
  const texts = textsOf(draft)
  if (whole || texts.length === 0) return <DocumentEditor bench={bench} draft={draft} />
  return texts.map((each) => (
    <TextEditor key={each.path.join('.')} bench={bench} text={each} isOnly={texts.length === 1} />
  ))
}

interface TextEditorProps {
  readonly bench: Workbench
  readonly text: DocumentText
  readonly isOnly: boolean
}

function TextEditor({ bench, text: { message, part, role, path, text }, isOnly }: TextEditorProps) {
  const { say } = useShell()
  const place = bench.place.value
  const pointed: Pointed[] = []
  if (place?.message === message && place.part === part) pointed.push({ line: place.line, kind: 'place' })
  const failed = bench.failure.value
  const position = failed instanceof ApiError ? failed.position : undefined
  if (position !== undefined && isOnly)
    pointed.push({ ...position, column: position.column - 1, kind: 'error' })
  return (
    <div class="message">
      <span class={`role role-${role}`}>{role}</span>
      <CodeEditor
        label={say('textOf', { role })}
        text={text}
        pointed={pointed}
        onText={(next) => {
          bench.draft.value = withText(bench.draft.peek() ?? {}, path, next)
        }}
      />
    </div>
  )
}

function DocumentEditor({ bench, draft }: { readonly bench: Workbench; readonly draft: JsonObject }) {
  const { say } = useShell()
  const text = useSignal(JSON.stringify(draft, undefined, 2))
  const error = useSignal('')
  // Before the next key, which a later effect would take away.
  useLayoutEffect(() => {
    if (!means(text.peek(), draft)) text.value = JSON.stringify(draft, undefined, 2)
  }, [draft])
  const enter = (next: string) => {
    text.value = next
    try {
      bench.draft.value = parseDocument(next)
      error.value = ''
    } catch (problem) {
      error.value = problem instanceof Error ? problem.message : ''
    }
  }
  return (
    <>
      <CodeEditor label={say('document')} text={text.value} pointed={[]} onText={enter} />
      {error.value !== '' && <p class="wrong">{error.value}</p>}
    </>
  )
}

function parseDocument(text: string): JsonObject {
  const value: unknown = JSON.parse(text)
  if (!isObject(value)) throw new Error('{…}')
  return value
}

/** True for a text that says this document, or nothing yet: its writer is not interrupted. */
function means(text: string, draft: JsonObject): boolean {
  try {
    return JSON.stringify(JSON.parse(text)) === JSON.stringify(draft)
  } catch {
    return true
  }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
