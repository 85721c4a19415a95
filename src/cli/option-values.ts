import type { OptionValues } from './command.js'

/** An option with a text; undefined where it was not given. */
export function textOption(values: OptionValues, name: string): string | undefined {
  const value = values[name]
  return typeof value === 'string' ? value : undefined
}

/** The texts of an option that may be given several times. */
export function textsOption(values: OptionValues, name: string): readonly string[] {
  const value = values[name]
  return Array.isArray(value) ? value.filter((text) => typeof text === 'string') : []
}
