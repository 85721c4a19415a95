import type { JsonObject, JsonValue } from '../../util/json/json.js'

const ASSERTION = /^([a-z-]+)(?:\(([\d.]+)\))?:\s*([\s\S]*)$/

/**
 * The rows of a CSV file as tests, as promptfoo reads them: each column a variable, `__expected` (and `__expected1`, …)
 * an assertion such as `contains: text`, a text alone being `equals`; `__description` and `__threshold` of the test.
 *
 * @throws Error for a quote that does not close, and for other columns with `__`
 */
export function testsOfCsv(text: string): readonly JsonObject[] {
  const [head = [], ...rows] = cellsOf(text)
  const unknown = head.find((name) => name.startsWith('__') && !KNOWN.test(name))
  if (unknown !== undefined)
    throw new Error(`unknown column ${unknown}: __expected, __description, __threshold`)
  return rows.map((row) => toTest(head, row))
}

const KNOWN = /^__(?:expected\d*|description|threshold)$/

function toTest(head: readonly string[], row: readonly string[]): JsonObject {
  const vars: Record<string, JsonValue> = {}
  const assert: JsonValue[] = []
  const more: Record<string, JsonValue> = {}
  for (const [index, name] of head.entries()) {
    const cell = row[index] ?? ''
    if (name.startsWith('__expected')) {
      if (cell !== '') assert.push(toAssertion(cell))
    } else if (name === '__description') more['description'] = cell
    else if (name === '__threshold') {
      if (cell !== '') more['threshold'] = Number(cell)
    } else vars[name] = cell
  }
  return { ...more, vars, ...(assert.length > 0 && { assert }) }
}

function toAssertion(cell: string): JsonObject {
  const [, type, threshold, value = ''] = ASSERTION.exec(cell.trim()) ?? []
  if (type === undefined) return isName(cell.trim()) ? { type: cell.trim() } : { type: 'equals', value: cell }
  return {
    type,
    ...(value !== '' && { value: LISTS.test(type) ? value.split(',').map((each) => each.trim()) : value }),
    ...(threshold !== undefined && { threshold: Number(threshold) }),
  }
}

const LISTS = /contains-(?:any|all)$/

/** Assertions that need no value. */
function isName(cell: string): boolean {
  return /^(?:not-)?(?:is-json|contains-json|is-valid-openai-tools-call)$/.test(cell)
}

/** The cells of a CSV text, as RFC 4180 has them. */
function cellsOf(text: string): readonly (readonly string[])[] {
  const rows: string[][] = []
  let row: string[] = []
  let [cell, isQuoted] = ['', false]
  const source = text.replace(/^\ufeff/, '')
  for (let index = 0; index < source.length; index += 1) {
    const character = source.charAt(index)
    if (isQuoted) {
      if (character !== '"') cell += character
      else if (source.charAt(index + 1) === '"') {
        cell += '"'
        index += 1
      } else isQuoted = false
    } else if (character === '"' && cell === '') isQuoted = true
    else if (character === ',') {
      row.push(cell)
      cell = ''
    } else if (character === '\n') {
      rows.push([...row, cell.replace(/\r$/, '')])
      row = []
      cell = ''
    } else cell += character
  }
  if (isQuoted) throw new Error('a quote does not close')
  if (cell !== '' || row.length > 0) rows.push([...row, cell])
  return rows.filter((each) => each.some((one) => one.trim() !== ''))
}
