import { describe, expect, it } from 'vitest'
import { errorCode, errorMessage, toError } from '../../../../src/util/errors/error-message.js'

const withCode = (code: unknown) => Object.assign(new Error('it is gone'), { code })

describe('what was thrown', () => {
  it.each<[unknown, string, string | undefined]>([
    [withCode('ENOENT'), 'it is gone', 'ENOENT'],
    [withCode(404), 'it is gone', undefined],
    [new TypeError('no code'), 'no code', undefined],
    [{ code: 'ENOENT' }, '[object Object]', undefined],
    ['a text', 'a text', undefined],
    [null, 'null', undefined],
    [undefined, 'undefined', undefined],
  ])('%o says %j, with the code %j', (thrown, message, code) => {
    expect(errorMessage(thrown)).toBe(message)
    expect(errorCode(thrown)).toBe(code)
    expect(toError(thrown).message).toBe(message)
  })

  it('stays the error that it was', () => {
    const error = withCode('ENOENT')
    expect(toError(error)).toBe(error)
  })
})
