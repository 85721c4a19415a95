// Gain: `bench:http`, the static prompt of 8 KB: a request takes a tenth less. ASCII has as many bytes as characters, so its
// pieces are put together only where they are written.
// On in one line: `CompiledTemplate.executeJson`; without it nothing is known of any output.

import type { JsonText } from '../json-text.js'

/**
 * Texts that became parts of JSON strings: values of one run, or static texts of one program. `escapeJson`, which
 * processes each of them, records texts that are not ASCII here; entries are never removed.
 */
export interface SeenTexts {
  /** Whether all of them were ASCII. */
  isAscii: boolean
}

/** A JSON output, which is made of a run's values and the static texts of programs: those of the others are among its values. */
export function jsonText(
  raw: string,
  toText: (raw: string) => string,
  values: SeenTexts,
  texts: SeenTexts,
): JsonText {
  return values.isAscii && texts.isAscii
    ? { text: raw, isAscii: true }
    : { text: toText(raw), isAscii: false }
}
