import type { JsonValue } from '../json/json.js'
import { yaml } from './yaml.js'

/** A value as people write it in YAML: texts of several lines as blocks, no line broken. */
export function yamlText(value: JsonValue): string {
  return yaml().stringify(value, { lineWidth: 0, blockQuote: 'literal' })
}
