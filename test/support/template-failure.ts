import { TemplateError } from '../../src/template/index.js'

/** The TemplateError that a render throws; anything else fails the test. */
export function failureOf(render: () => unknown): TemplateError {
  try {
    render()
  } catch (error) {
    if (error instanceof TemplateError) return error
  }
  throw new Error('no TemplateError was thrown')
}
