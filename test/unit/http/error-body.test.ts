import { describe, expect, it } from 'vitest'
import { ServiceError } from '../../../src/errors.js'
import { toErrorBody, toServiceError } from '../../../src/http/answers/error-body.js'

const framework = (facts: object) => Object.assign(new Error('said by the framework'), facts)

describe('what was thrown, as an error of the service', () => {
  it.each<[string, unknown, string, string | null]>([
    ['a media type', framework({ code: 'FST_ERR_CTP_INVALID_MEDIA_TYPE' }), 'unsupported_media_type', null],
    ['a large body', framework({ code: 'FST_ERR_CTP_BODY_TOO_LARGE' }), 'payload_too_large', null],
    ['a mistake of the client', framework({ statusCode: 400 }), 'invalid_request', null],
    ['a failure of the framework', framework({ statusCode: 503 }), 'internal_error', null],
    ['an unknown error', new Error('secret'), 'internal_error', null],
    ['no error at all', 'secret', 'internal_error', null],
  ])('%s', (_name, thrown, code, param) => {
    expect(toServiceError(thrown)).toMatchObject({ code, param })
  })

  it('stays itself', () => {
    const error = new ServiceError('forbidden', 'No')
    expect(toServiceError(error)).toBe(error)
  })
})

describe('the body of an error', () => {
  it('tells nothing of what was not expected', () => {
    const error = toServiceError(new Error('secret'))
    expect(JSON.stringify(toErrorBody(error, 'r'))).not.toContain('secret')
    const detailed = new ServiceError('internal_error', 'secret', { details: ['secret'] })
    expect(JSON.stringify(toErrorBody(detailed, 'r'))).not.toContain('secret')
  })

  it.each([
    ['none', undefined, 0, undefined],
    ['an object', { a: 1 }, 0, { a: 1 }],
    ['a short list', [1, 2], 0, [1, 2]],
    ['a short list of more', [1, 2], 3, [1, 2, { message: 'and 3 more' }]],
    ['a long list', Array(103).fill(0), 4, [...Array(100).fill(0), { message: 'and 7 more' }]],
  ])('has %s as details', (_name, details, omittedCount, expected) => {
    const error = new ServiceError('invalid_request', 'No', { details, omittedCount })
    expect(toErrorBody(error, 'r').error.details).toEqual(expected)
  })

  it('cuts long messages', () => {
    const said = (length: number) =>
      toErrorBody(new ServiceError('invalid_request', 'x'.repeat(length)), 'r').error.message
    expect(said(4_000)).toBe('x'.repeat(4_000))
    expect(said(4_001)).toBe(`${'x'.repeat(4_000)}…`)
  })
})
