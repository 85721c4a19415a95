import { useSignal } from '@preact/signals'
import { useEffect, useLayoutEffect, useMemo } from 'preact/hooks'
import { ApiError } from '../api/api-error.js'
import type { JsonObject } from '../api/shapes.js'
import { type DocumentText, textsOf, withText } from '../draft/document-texts.js'
import { linesOf } from '../highlight/lines-of.js'
import { rangeAt } from '../pages/prompt/text-view.js'
import type { Workbench } from '../pages/prompt/workbench.js'
import { placeFree } from '../parts/place-free.js'
import { type Shell, useShell } from '../shell.js'
import { CodeEditor, type Cursor } from './code-editor.js'
import type { Pointed } from './pointed-lines.js'
import type { Known } from './suggest.js'

type OwnText = typeof import('../draft/own-text.js')

interface DraftEditorProps {
  readonly bench: Workbench
  /** The document in its own format, not only its texts. */
  readonly whole: boolean
}

/** Edits a draft: text by text, or the whole document. */
export function DraftEditor({ bench, whole }: DraftEditorProps) {
  const draft = bench.draft.value ?? {}
  const texts = textsOf(draft)
  if (whole || texts.length === 0) return <DocumentEditor bench={bench} draft={draft} />
  return texts.map((each) => <TextEditor key={each.path.join('.')} bench={bench} text={each} />)
}

interface TextEditorProps {
  readonly bench: Workbench
  readonly text: DocumentText
}

function TextEditor({ bench, text: { message, part, role, path, text } }: TextEditorProps) {
  const shell = useShell()
  const { say } = shell
  const place = bench.place.value
  const lines = useMemo(() => linesOf(text), [text])
  const pointed: Pointed[] = [...errorsIn(bench, text), ...doubtsIn(bench, shell, text)]
  if (place?.message === message && place.part === part) {
    const range = place.column === undefined ? {} : rangeAt(lines[place.line - 1] ?? [], place.column)
    pointed.push({ line: place.line, kind: 'place', ...range })
  }
  const onCursor = ({ line, column }: Cursor) => {
    bench.lit.value = { message, part, line, ...rangeAt(lines[line - 1] ?? [], column) }
  }
  return (
    <div class="message">
      <span class={`role role-${role}`}>{role}</span>
      <CodeEditor
        label={say('textOf', { role })}
        text={text}
        pointed={pointed}
        known={() => knownTo(bench, shell)}
        onCursor={onCursor}
        onText={(next) => {
          bench.draft.value = withText(bench.draft.peek() ?? {}, path, next)
        }}
      />
    </div>
  )
}

/** Why the draft does not render, below the line where that is: if it is a line of this text. */
function errorsIn({ failure }: Workbench, text: string): readonly Pointed[] {
  const failed = failure.value
  if (!(failed instanceof ApiError) || failed.position === undefined) return []
  const { line, column } = failed.position
  const { frame = '', hint } = factsOf(failed.details)
  const shown = frame.split('\n', 1)[0] ?? ''
  if (!(text.split('\n')[line - 1] ?? '').includes(shown.trim())) return []
  return [{ line, column, kind: 'error', message: placeFree(hint ?? failed.message) }]
}

function factsOf(details: unknown): { readonly frame?: string; readonly hint?: string } {
  const { frame, hint } = { frame: undefined, hint: undefined, ...Object(details) }
  return {
    ...(typeof frame === 'string' && { frame }),
    ...(typeof hint === 'string' && { hint }),
  }
}

/** Paths that the text reads and nobody has: neither the form nor the catalog. */
function doubtsIn({ preview }: Workbench, { say }: Shell, text: string): readonly Pointed[] {
  const read = preview.value.rendered?.explain?.variables ?? []
  const lost = read.filter(({ found, path }) => !found && !path.startsWith('variables.'))
  const lines = text.split('\n')
  return lost.flatMap(({ path }) => {
    const index = lines.findIndex((line) => line.includes(`.${path}`))
    if (index === -1) return []
    const column = (lines[index] ?? '').indexOf(`.${path}`) + 1
    const endColumn = column + path.length + 1
    const message = say('missing', { paths: path })
    return [{ line: index + 1, column, endColumn, kind: 'doubt' as const, message }]
  })
}

/** What templates of this prompt can name. */
function knownTo({ detail, id, preview, variables }: Workbench, { catalog }: Shell): Known {
  const { prompt, tool, environ } = catalog.shelves
  const { properties } = { properties: {}, ...Object(detail.peek()?.['schema']) }
  const read = preview.peek().rendered?.explain?.variables ?? []
  const names = [...Object.keys(Object(properties)), ...Object.keys(variables.peek())]
  return {
    paths: [
      ...names.map((name) => `variables.${name}`),
      ...read.filter(({ found }) => found).map(({ path }) => path),
      ...environ.entries.peek().map((entry) => entry.id),
    ],
    calls: tool.entries.peek().flatMap((entry) => entry.function ?? []),
    prompts: prompt.entries.peek().flatMap((entry) => (entry.id === id ? [] : [entry.id])),
  }
}

interface DocumentEditorProps {
  readonly bench: Workbench
  readonly draft: JsonObject
}

/** The document as its author writes it: YAML with its comments, or JSON. */
function DocumentEditor({ bench, draft }: DocumentEditorProps) {
  const { api, say } = useShell()
  const { draftText, id, stored } = bench
  const own = useSignal<OwnText | undefined>(undefined)
  const text = useSignal(draftText.peek() ?? '')
  const wrong = useSignal<readonly Pointed[]>([])
  useEffect(() => {
    Promise.all([import('../draft/own-text.js'), api.source(id).catch(() => undefined)]).then(
      ([module, source]) => {
        text.value = module.ownText({
          ...{ source, draft: bench.draft.peek() ?? {} },
          ...{ stored: stored.peek(), written: draftText.peek() },
        })
        own.value = module
        wrong.value = readText(module, text.peek(), say).problems
      },
    )
  }, [])
  // What changes elsewhere is shown. Before the next key, which a later effect would take away.
  useLayoutEffect(() => {
    const module = own.peek()
    if (module === undefined) return
    const parts = { source: undefined, stored: {}, draft, written: text.peek() }
    if (module.ownText(parts) !== text.peek()) text.value = module.ownText({ ...parts, written: undefined })
  }, [draft])
  const enter = (next: string) => {
    text.value = next
    draftText.value = next
    const { document, problems } = readText(own.peek(), next, say)
    if (document !== undefined) bench.draft.value = document
    wrong.value = problems
  }
  if (own.value === undefined) return <p class="quiet">{say('loading')}</p>
  return <CodeEditor label={say('document')} text={text.value} pointed={wrong.value} onText={enter} />
}

/** The document of a text, or where and why it is not valid yet. */
function readText(
  module: OwnText | undefined,
  text: string,
  say: Shell['say'],
): { readonly document?: JsonObject | undefined; readonly problems: readonly Pointed[] } {
  try {
    return { document: module?.parseDocument(text), problems: [] }
  } catch (error) {
    const { line, column } = module?.placeOfError(error) ?? { line: 1, column: 1 }
    const reason = error instanceof Error ? (error.message.split('\n')[0] ?? '') : ''
    return { problems: [{ line, column, kind: 'error', message: `${say('notYet')} ${reason}` }] }
  }
}
