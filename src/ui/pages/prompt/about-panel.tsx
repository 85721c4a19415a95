import { useSignal } from '@preact/signals'
import type { HistoryEntry, PromptTestRun, TokensOfOrigin } from '../../api/shapes.js'
import { DiffView } from '../../parts/diff-view.js'
import { JsonView } from '../../parts/json-view.js'
import { Problem } from '../../parts/problem.js'
import { useLoaded } from '../../parts/use-loaded.js'
import { useVersion } from '../../parts/use-version.js'
import { UsedBy } from '../../parts/used-by.js'
import { useShell } from '../../shell.js'
import { countText } from '../../texts/count-text.js'
import { examplesOf } from './examples-of.js'
import { standInFor } from './stand-ins.js'
import { setVariables, type Workbench } from './workbench.js'

interface AboutPanelProps {
  readonly bench: Workbench
}

/** What there is to know about a prompt beside its text: who uses it, where its tokens come from, its examples and history. */
export function AboutPanel({ bench }: AboutPanelProps) {
  const { access } = useShell()
  return (
    <div class="about-panel">
      <UsedBy kind="prompt" id={bench.id} />
      {access.may('render') && <TokenBill bench={bench} />}
      <Examples bench={bench} />
      <Tests bench={bench} />
      <History id={bench.id} />
    </div>
  )
}

/** Which part of the prompt costs how many tokens, and how many of them a prefix cache can keep. */
function TokenBill({ bench }: AboutPanelProps) {
  const { api, catalog, say } = useShell()
  const draft = bench.draft.value
  const { variables } = standInFor(bench.detail.value?.['schema'], bench.variables.value)
  const loaded = useLoaded(
    () => (draft === undefined ? api.tokenBill(bench.id, variables) : api.draftTokenBill(draft, variables)),
    [bench.id, draft, bench.variables.value, catalog.version.value],
  )
  const { value, error } = loaded.value
  if (error !== undefined) return <Problem error={error} />
  const { tokens = 0, tokens_by_origin: rows = [], prefix } = value?.explain ?? {}
  return (
    <section aria-labelledby="token-bill">
      <h2 id="token-bill">{say('tokenBill', { count: countText(tokens) })}</h2>
      <table class="bill">
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              <td>
                <span class={`key span-${row.kind}`}>{nameOf(row)}</span>
              </td>
              <td class="number">{countText(row.tokens)}</td>
              <td class="share" aria-hidden="true">
                <div style={{ width: `${Math.max(1, (row.tokens / Math.max(1, tokens)) * 100)}%` }} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {prefix !== undefined && (
        <p class="quiet">
          {say('prefixKept', { stable: countText(prefix.stable_tokens), could: countText(prefix.could_be) })}
          {prefix.breaks_at !== null && (
            <> {say('prefixBreaks', { by: prefix.breaks_at.by, line: prefix.breaks_at.line })}</>
          )}
        </p>
      )}
    </section>
  )
}

function nameOf({ kind, path, call, template }: TokensOfOrigin): string {
  return path ?? call ?? template ?? kind
}

/** Named sets of variables: one click fills the form, and shows what it renders to. */
function Examples({ bench }: AboutPanelProps) {
  const { say, tab } = useShell()
  const examples = examplesOf(bench.shown.value)
  if (examples.length === 0) return null
  return (
    <section aria-labelledby="example-list">
      <h2 id="example-list">{say('examples')}</h2>
      {examples.map(([name, variables]) => (
        <div key={name} class="example">
          <details>
            <summary>{name}</summary>
            <JsonView value={variables} />
          </details>
          <button
            type="button"
            onClick={() => {
              setVariables(bench, tab, variables)
              bench.view.value = 'preview'
            }}
          >
            {say('fillForm')}
          </button>
        </div>
      ))}
    </section>
  )
}

/** The tests of the prompt, run on the stored text or on its draft. */
function Tests({ bench }: AboutPanelProps) {
  const { access, api, say } = useShell()
  const { id } = bench
  const run = useSignal<PromptTestRun | undefined>(undefined)
  const failure = useSignal<unknown>(undefined)
  const isRunning = useSignal(false)
  const tests = useLoaded(() => api.tests(id), [id, useVersion('prompt', id)]).value.value?.tests ?? []
  if (tests.length === 0) return null
  const draft = bench.draft.value
  const start = async () => {
    if (isRunning.peek()) return
    isRunning.value = true
    try {
      run.value = await api.runTests(id, draft === undefined ? {} : { prompt: draft })
      failure.value = undefined
    } catch (error) {
      failure.value = error
    }
    isRunning.value = false
  }
  const { passed, failed, tests: results = [] } = run.value ?? {}
  return (
    <section aria-labelledby="prompt-tests">
      <div class="card-head">
        <h2 id="prompt-tests">{say('testCount', { count: tests.length })}</h2>
        {access.may('render') && (
          <button type="button" disabled={isRunning.value} onClick={start}>
            {say(draft === undefined ? 'runTests' : 'testDraft')}
          </button>
        )}
      </div>
      {failure.value !== undefined && <Problem error={failure.value} />}
      {passed !== undefined && failed !== undefined && (
        <p role="status">{say('testsRan', { passed, failed })}</p>
      )}
      <ul class="tests">
        {tests.map(({ name, file, line }) => (
          <Test key={`${file}:${line} ${name}`} name={name} place={`${file}:${line}`} results={results} />
        ))}
      </ul>
    </section>
  )
}

interface TestProps {
  readonly name: string
  readonly place: string
  readonly results: PromptTestRun['tests']
}

function Test({ name, place, results }: TestProps) {
  const { say } = useShell()
  const result = results.find((each) => each.name === name && `${each.file}:${each.line}` === place)
  return (
    <li>
      {result !== undefined && (
        <span class={`badge status-${result.status === 'passed' ? 'ok' : result.status}`}>
          {say(result.status)}
        </span>
      )}{' '}
      {name} <span class="quiet">{place}</span>
      {result?.failures.map(({ message, before, after }) => (
        <div key={message} class="wrong">
          {message}
          {before !== undefined && after !== undefined && (
            <DiffView label={say('difference')} before={before} after={after} />
          )}
        </div>
      ))}
    </li>
  )
}

/** What was published, promoted and rolled back. */
function History({ id }: { readonly id: string }) {
  const { api, say, settings } = useShell()
  const loaded = useLoaded(() => api.history(id), [id, useVersion('prompt', id)])
  const entries = loaded.value.value?.entries ?? []
  if (entries.length === 0) return null
  return (
    <section aria-labelledby="prompt-history">
      <h2 id="prompt-history">{say('history')}</h2>
      <ol class="versions">
        {entries.map((entry, index) => (
          <li key={entry.digest ?? index}>
            <span class="badge">{say(entry.action)}</span> {targetOf(entry)}{' '}
            <span class="quiet">
              {[entry.by, new Date(entry.at).toLocaleString(settings.language.value)]
                .filter(Boolean)
                .join(', ')}
            </span>
            {entry.note !== undefined && <p>{entry.note}</p>}
          </li>
        ))}
      </ol>
    </section>
  )
}

function targetOf(entry: HistoryEntry): string {
  const to = entry.targets.map(
    ({ version, share }) => `@${version}${share === undefined ? '' : ` ${share} %`}`,
  )
  return [entry.label, to.join(', ')].filter(Boolean).join(' → ')
}
