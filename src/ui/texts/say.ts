import type { ReadonlySignal } from '@preact/signals'
import type { en } from './en.js'

/** What the page can say. */
export type TextKey = keyof typeof en
export type Texts = Readonly<Record<TextKey, string>>

/** Says a text in the language that is set; `{name}` is replaced by its value. */
export type Say = (key: TextKey, values?: Readonly<Record<string, string | number>>) => string

/** Reads texts of the current language; components that call it render again when the language changes. */
export function createSay(texts: ReadonlySignal<Texts>): Say {
  return (key, values = {}) =>
    texts.value[key].replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole))
}
