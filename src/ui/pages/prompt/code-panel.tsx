import { useSignal, useSignalEffect } from '@preact/signals'
import type { JsonObject } from '../../api/shapes.js'
import { Choice } from '../../parts/choice.js'
import { CopyButton } from '../../parts/copy-button.js'
import { useShell } from '../../shell.js'
import { type Route, refine } from '../../stores/route.js'
import { toCurl, toPython, toTypeScript } from './code-samples.js'
import {
  toAiSdk,
  toLangChain,
  toOpenAiPython,
  toOpenAiTypeScript,
  toOwnPython,
  toOwnTypeScript,
} from './sdk-samples.js'
import type { Workbench } from './workbench.js'

type What = 'render' | 'chat'

/** By plain HTTP, of every prompt, drafts included. */
const PLAIN = { curl: toCurl, typescript: toTypeScript, python: toPython } as const
/** With a library, of stored prompts: each has its name, what it does and its writer. */
const LIBRARIES = {
  client: { name: 'ai-prompt-shell/client', what: 'render', write: toOwnTypeScript },
  clientPython: { name: 'ai_prompt_shell.py', what: 'render', write: toOwnPython },
  openai: { name: 'OpenAI (TypeScript)', what: 'chat', write: toOpenAiTypeScript },
  openaiPython: { name: 'OpenAI (Python)', what: 'chat', write: toOpenAiPython },
  aiSdk: { name: 'Vercel AI SDK', what: 'chat', write: toAiSdk },
  langChain: { name: 'LangChain', what: 'chat', write: toLangChain },
} as const
type Language = keyof typeof PLAIN | keyof typeof LIBRARIES

/** What is on the page, as a program would ask for it. */
export function CodePanel({ bench }: { readonly bench: Workbench }) {
  const { route, say, settings, work } = useShell()
  const kept = work.text('programming language')
  const language = useSignal<Language>(languageOf(route.peek()) ?? languageNamed(kept.peek()) ?? DEFAULT)
  const what = useSignal<What>(whatOf(language.peek()))
  useSignalEffect(() => {
    if (!isOffered(bench, language.value, what.value)) language.value = DEFAULT
    kept.value = language.value
    refine(route, { code: language.value === DEFAULT ? undefined : language.value })
  })
  const { origin, pathname } = window.location
  const place = { origin: origin + pathname.replace(/\/$/, ''), needsKey: settings.key.value !== '' }
  const code = codeOf(bench, language.value, what.value, place)
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
            ...librariesFor(bench, what.value),
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

interface Place {
  readonly origin: string
  readonly needsKey: boolean
}

function codeOf(bench: Workbench, language: Language, what: What, place: Place): string {
  if (isPlain(language)) return PLAIN[language]({ ...place, ...requestOf(bench, what) })
  return LIBRARIES[language].write({ ...place, id: bench.id, variables: bench.variables.value })
}

function isOffered(bench: Workbench, language: Language, what: What): boolean {
  return isPlain(language) || librariesFor(bench, what).some(([id]) => id === language)
}

const DEFAULT = 'curl'

/** The one that the address names. */
function languageOf(open: Route): Language | undefined {
  return 'code' in open && open.code !== undefined ? languageNamed(open.code) : undefined
}

function languageNamed(name: string): Language | undefined {
  return isLanguage(name) ? name : undefined
}

function isLanguage(name: string): name is Language {
  return Object.hasOwn(PLAIN, name) || Object.hasOwn(LIBRARIES, name)
}

function whatOf(language: Language): What {
  return isPlain(language) ? 'render' : LIBRARIES[language].what
}

function isPlain(language: Language): language is keyof typeof PLAIN {
  return Object.hasOwn(PLAIN, language)
}

/** Libraries send the id of a prompt, which a draft has none of. */
function librariesFor(bench: Workbench, what: What): readonly (readonly [Language, string])[] {
  if (bench.draft.value !== undefined) return []
  return LIBRARY_NAMES.flatMap((id) =>
    LIBRARIES[id].what === what ? [[id, LIBRARIES[id].name] as const] : [],
  )
}

const LIBRARY_NAMES = [
  'client',
  'clientPython',
  'openai',
  'openaiPython',
  'aiSdk',
  'langChain',
] as const satisfies readonly (keyof typeof LIBRARIES)[]

function requestOf(bench: Workbench, what: What): { readonly path: string; readonly body: JsonObject } {
  const variables = bench.variables.value
  const draft = bench.draft.value
  if (draft !== undefined) return { path: `/api/${what}`, body: { prompt: draft, variables } }
  return { path: `/api/${what}/prompts/${encodeURIComponent(bench.id)}`, body: { variables } }
}
