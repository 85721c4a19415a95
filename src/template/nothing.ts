import type { DeclaredFunction, ParameterType } from './api.js'
import { Stringer } from './format/kind.js'
import { Float, type Value } from './value.js'

/**
 * Placeholder for an unavailable value, such as the result of a tool that failed: prints its text, is nil to `eq` and
 * `empty`, and answers every field, index and range with nothing. To functions and JSON it is null.
 */
export class Nothing extends Stringer {
  readonly #text: string

  /** @param text what it prints */
  constructor(text = '') {
    super('<nil>', null)
    this.#text = text
  }

  text(): string {
    return this.#text
  }

  method(): DeclaredFunction {
    return { call: () => this, parameters: [] }
  }

  /** What a parameter of a type gets; a text stays one. */
  as(parameter: ParameterType): Value {
    const zero = ZEROS[parameter]
    return this.#text !== '' && (parameter === 'string' || parameter === 'any') ? this.#text : zero
  }
}

/** What prints nothing. */
export const NOTHING = new Nothing()

const ZEROS: Readonly<Record<ParameterType, Value>> = {
  int: 0,
  int64: 0,
  float64: new Float(0),
  string: '',
  bool: false,
  any: null,
  '[]any': [],
  '[]string': [],
  'map[string]any': {},
  'time.Time': null,
}
