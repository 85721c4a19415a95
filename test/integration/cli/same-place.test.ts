import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { compile, TemplateError } from '../../../src/template/index.js'
import { runLocalTurn as cli } from '../../support/run-cli.js'
import { startTestApp, type TestApp } from '../../support/test-app.js'

/** Characters that take one, two, three and four bytes, before the mistake. */
const BEFORE = 'é日😀 '
const FAILS = `${BEFORE}{{index .variables.l 9}}`
const BROKEN = `${BEFORE}{{nope 1}`
/** As an editor shows it: columns from 1, in UTF-16 code units. */
const PLACE = { line: 1, column: BEFORE.length + 3 }

let shell: TestApp
beforeAll(async () => {
  shell = await startTestApp({
    'templates/a/fails.yaml': `userPrompt: |-\n  ${FAILS}\nparameters: [{ name: l, type: array, default: [] }]\n`,
    'templates/a/crlf.yaml': 'userPrompt: |\r\n  one\r\n  two {{.variables.x | default "y"}}\r\n',
    'templates/a/crlf-broken.yaml': 'userPrompt: |\r\n  one\r\n  two {{nope 1}\r\n',
    'templates/a/broken.yaml': `userPrompt: |-\n  ${BROKEN}\n`,
  })
})
afterAll(() => shell.close())

function failureOf(text: string): TemplateError {
  try {
    compile(text).renderSync({ variables: { l: [] } }, { missingKey: 'guarded' })
  } catch (error) {
    if (error instanceof TemplateError) return error
  }
  throw new Error('nothing failed')
}

describe('the place of one and the same mistake', () => {
  it('in a render is the same in the library, the message, the details and the command line', async () => {
    expect(failureOf(FAILS)).toMatchObject(PLACE)
    const { body } = await shell.post('/api/render/prompts/a.fails', {})
    expect(body.error.details).toMatchObject(PLACE)
    const words = `template: a.fails:1:${PLACE.column}: executing "a.fails" at <index .variables.l 9>`
    expect(body.error.message).toContain(words)
    const { stderr } = await cli(['render', 'a.fails', '--catalog', shell.catalog.path])
    expect(stderr).toContain(words)
  })

  it('is right in files with CRLF, whose prompts have no carriage returns', async () => {
    const { body } = await shell.post('/api/render/prompts/a.crlf', {})
    expect(body.rendered_prompt).toBe('one\ntwo y\n')
    const broken = await shell.post('/api/render/prompts/a.crlf-broken', {})
    expect(broken.body.error.details).toMatchObject({ line: 3, column: '  two {{nope 1'.length + 1 })
  })

  it('in a document is that of the file, in check, the status, answers and the command line', async () => {
    // The brace that is missing, two columns further in the file for the block's indentation.
    const { code, line, column } = {
      code: 'template_syntax',
      line: 2,
      column: BEFORE.length + 2 + '{{nope 1'.length + 1,
    }
    const file = 'templates/a/broken.yaml'
    const checked = await cli(['check', shell.catalog.path, '--json'])
    const [found] = checked.stdout
      .trim()
      .split('\n')
      .map((each) => JSON.parse(each))
      .filter(({ id }) => id === 'a.broken')
    expect(found).toMatchObject({
      code,
      line,
      column,
      location: expect.stringMatching(new RegExp(`${file}$`)),
    })
    const status = await shell.get('/api/status')
    expect(status.body.diagnostics.filter(({ id }: { id: string }) => id === 'a.broken')).toMatchObject([
      { code, line, column },
    ])
    const { body } = await shell.post('/api/render/prompts/a.broken', {})
    expect(body.error).toMatchObject({ code, details: { line, column, location: file } })
    const { stderr } = await cli(['render', 'a.broken', '--catalog', shell.catalog.path])
    expect(stderr).toContain(`${file}:${line}:${column}: `)
  })
})
