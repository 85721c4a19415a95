import { yaml } from './yaml.js'

/** A value as people write it in YAML: texts of several lines as blocks, no line broken, without what is undefined. */
export function yamlText(value: unknown): string {
  return yaml().stringify(value, { lineWidth: 0, blockQuote: 'literal' })
}
