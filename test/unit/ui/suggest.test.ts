import { describe, expect, it } from 'vitest'
import { type Known, suggest } from '../../../src/ui/editor/suggest.js'

const KNOWN: Known = {
  paths: ['variables.name', 'variables.number', 'team.rules.style', 'team.language'],
  calls: ['docs_search'],
  prompts: ['partials.house_style', 'partials.tone'],
}

describe('what the editor offers', () => {
  it.each([
    ['{{.', 2 + 1, ['variables', 'team']],
    ['{{.va', 3, ['variables']],
    ['{{ .variables.n', 14, ['name', 'number']],
    ['{{if .team.rules.', 17, ['style']],
    ['Dear {{- .team.', 15, ['rules', 'language']],
    ['{{do', 2, ['docs_search']],
    ['{{ran', 2, ['range']],
    ['{{.team.language | pr', 19, ['print', 'printf', 'println']],
    ['{{template "partials.', 12, ['partials.house_style', 'partials.tone']],
  ])('%s', (text, from, options) => {
    expect(suggest(text, KNOWN)).toEqual({ from, options })
  })

  it.each([
    'Dear .va',
    '{{.variables.name}} and .va',
    '{{.variables.name',
    '{{/* .va',
    '{{docs_search ".va',
    '{{.nothing.',
  ])('is nothing in %s', (text) => {
    expect(suggest(text, KNOWN)).toBeUndefined()
  })
})
