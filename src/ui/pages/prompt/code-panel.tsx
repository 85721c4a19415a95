import { useSignal } from '@preact/signals'
import type { JsonObject } from '../../api/shapes.js'
import { Choice } from '../../parts/choice.js'
import { CopyButton } from '../../parts/copy-button.js'
import { useShell } from '../../shell.js'
import { toCurl, toPython, toTypeScript } from './code-samples.js'
import type { Workbench } from './workbench.js'

const WRITERS = { curl: toCurl, typescript: toTypeScript, python: toPython } as const

/** What is on the page, as a program would ask for it. */
export function CodePanel({ bench }: { readonly bench: Workbench }) {
  const { say, settings } = useShell()
  const language = useSignal<keyof typeof WRITERS>('curl')
  const what = useSignal<'render' | 'chat'>('render')
  const { origin, pathname } = window.location
  const code = WRITERS[language.value]({
    origin: origin + pathname.replace(/\/$/, ''),
    needsKey: settings.key.value !== '',
    ...requestOf(bench, what.value),
  })
  return (
    <>
      <div class="actions">
        <Choice
          label={say('request')}
          value={what}
          options={[
            ['render', say('render')],
            ['chat', say('chat')],
          ]}
        />
        <Choice
          label={say('programmingLanguage')}
          value={language}
          options={[
            ['curl', 'curl'],
            ['typescript', 'TypeScript'],
            ['python', 'Python'],
          ]}
        />
        <CopyButton label={say('copy')} text={() => code} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be within reach of the keyboard */}
      <section class="code-sample" tabIndex={0} aria-label={say('code')}>
        <pre>{code}</pre>
      </section>
    </>
  )
}

function requestOf(
  bench: Workbench,
  what: 'render' | 'chat',
): { readonly path: string; readonly body: JsonObject } {
  const variables = bench.variables.value
  const draft = bench.draft.value
  if (draft !== undefined) return { path: `/api/${what}`, body: { prompt: draft, variables } }
  return { path: `/api/${what}/prompts/${encodeURIComponent(bench.id)}`, body: { variables } }
}
