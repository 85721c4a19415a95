import { computed, effect, type ReadonlySignal, type Signal, signal } from '@preact/signals'
import type { RenderOptions } from '../api/client.js'

const THEMES = ['auto', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

const LANGUAGES = ['en', 'zh'] as const
export type Language = (typeof LANGUAGES)[number]

/** What one person prefers, on this machine. */
export interface Settings {
  readonly theme: Signal<Theme>
  readonly language: Signal<Language>
  /** The API key: kept for this tab only, and nowhere else. */
  readonly key: Signal<string>
  /** True when the service asks for a key. */
  readonly keyWanted: Signal<boolean>
  /** True once somebody closed the question for a key: it is not put again unasked. */
  readonly keyDeclined: Signal<boolean>
  /** Whether previews call tools that are read-only; they never call others: typing must not act on the world. */
  readonly callTools: Signal<boolean>
  /** What `callTools` means for a request of a render. */
  readonly dryRun: ReadonlySignal<RenderOptions['dryRun']>
}

/** Reads the preferences, and keeps them as they change. */
export function createSettings(local: Storage, tab: Storage, languages: readonly string[]): Settings {
  const preferred = languages[0]?.startsWith('zh') === true ? 'zh' : 'en'
  const callTools = signal(tab.getItem('tools') === 'call')
  const settings = {
    theme: signal<Theme>(oneOf(THEMES, local.getItem('theme'), 'auto')),
    language: signal<Language>(oneOf(LANGUAGES, local.getItem('language'), preferred)),
    key: signal(tab.getItem('key') ?? ''),
    keyWanted: signal(false),
    keyDeclined: signal(false),
    callTools,
    dryRun: computed((): RenderOptions['dryRun'] => (callTools.value ? 'writes' : 'true')),
  }
  effect(() => local.setItem('theme', settings.theme.value))
  effect(() => local.setItem('language', settings.language.value))
  effect(() => tab.setItem('key', settings.key.value))
  effect(() => tab.setItem('tools', settings.callTools.value ? 'call' : 'placeholders'))
  return settings
}

function oneOf<Value extends string>(values: readonly Value[], text: string | null, other: Value): Value {
  return values.find((value) => value === text) ?? other
}
