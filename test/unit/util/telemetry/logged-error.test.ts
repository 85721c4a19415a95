import { describe, expect, it } from 'vitest'
import { ServiceError } from '../../../../src/errors.js'
import { TemplateError } from '../../../../src/template/api.js'
import { loggedError } from '../../../../src/util/telemetry/logged-error.js'

const thrownBy = (work: () => unknown): unknown => {
  try {
    return work()
  } catch (error) {
    return error
  }
}
const compile = (source: string) => new RegExp(source)
const place = { stage: 'exec', reason: 'exec', line: 1, column: 2 } as unknown as ConstructorParameters<
  typeof TemplateError
>[2]
const hidden = new ServiceError('tool_failed', 'SECRET', { cause: new Error('SECRET') })

describe('an error in the log', () => {
  it.each([
    ['our words', new ServiceError('overloaded', 'Too much'), 'Too much'],
    ['a code whose message may repeat contents', hidden, undefined],
    ["Go's message, whatever its code", new TemplateError('missing_variables', 'SECRET', place), undefined],
    ['the system', Object.assign(new Error("open 'a'"), { syscall: 'open', errno: -2 }), "open 'a'"],
    ['a class of others', Object.assign(new Error('SECRET'), { name: 'UpstreamError' }), undefined],
    ['JSON', thrownBy(() => JSON.parse('SECRET')), expect.not.stringContaining('SECRET')],
    [
      'an assignment',
      thrownBy(() => Object.assign('SECRET', { 0: 1 })),
      expect.not.stringContaining('SECRET'),
    ],
    ['a pattern', thrownBy(() => compile('(SECRET')), expect.stringContaining('Invalid regular expression')],
    ['a text', 'SECRET', undefined],
  ])('of %s', (_name, error, message) => {
    const logged = loggedError(error)
    expect(logged.message).toEqual(message)
    expect(JSON.stringify(logged)).not.toContain('SECRET')
  })

  it('says where it was thrown, and what caused it', () => {
    const error = new ServiceError('internal_error', 'Broken', {
      cause: new TypeError('x is not a function'),
    })
    expect(loggedError(error)).toMatchObject({
      type: 'ServiceError',
      code: 'internal_error',
      stack: expect.stringMatching(/^ {4}at /),
      cause: { type: 'TypeError', message: 'x is not a function' },
    })
  })

  it('ends with a chain that has no end', () => {
    const error = new Error('a')
    error.cause = error
    expect(JSON.stringify(loggedError(error)).length).toBeLessThan(20_000)
  })
})
