import { describe, expect, it } from 'vitest'
import { appendQuery, fillUrl, parseUrl, resolveToolUrl } from '../../../src/tools/tool-url.js'

describe('resolveToolUrl', () => {
  const bases = { byModule: { m: 'http://module/base' }, fallback: 'http://fallback' }
  const context = {
    modules: { c: { baseUrl: 'http://context/' }, d: { e: { baseUrl: 'nested:80' } }, bad: { baseUrl: 7 } },
  }

  it.each([
    ['http://x/y', 'm', 'http://x/y'],
    ['GRPC://x:1', 'm', 'GRPC://x:1'],
    ['x:50051', 'm', 'http://x:50051'],
    ['[::1]:50051', 'm', 'http://[::1]:50051'],
    ['/y', 'm', 'http://module/base/y'],
    ['y', 'm', 'http://module/base/y'],
    ['//evil/y', 'm', 'http://module/base/evil/y'],
    ['/y', 'c', 'http://context/y'],
    ['/y', 'd.e', 'http://nested:80/y'],
    ['/y', 'bad', 'http://fallback/y'],
    ['/y', 'constructor', 'http://fallback/y'],
    ['', 'm', 'http://module/base'],
  ])('%s of module %s is %s', (url, module, expected) =>
    expect(resolveToolUrl(url, module, context, bases)).toBe(expected),
  )

  it('names every setting that would help', () => {
    const none = { byModule: {}, fallback: undefined }
    expect(() => resolveToolUrl('/y', 'm', {}, none)).toThrow(
      /modules\.m\.baseUrl, TOOL_BASE_URLS or TOOL_BASE_URL/,
    )
  })
})

describe('fillUrl', () => {
  it.each([
    ['http://h/a/{id}', { id: 'x', n: 1 }, 'http://h/a/x', { n: 1 }],
    ['http://h/a/{id}?q={q}', { id: 'ü/?#', q: 'a b' }, 'http://h/a/%C3%BC%2F%3F%23?q=a%20b', {}],
    ['http://h/a/{id}.json', { id: '..' }, 'http://h/a/...json', {}],
    ['http://h/{a}/{a}', { a: 1 }, 'http://h/1/1', {}],
    ['http://h/a#part', { b: 1 }, 'http://h/a', { b: 1 }],
    ['http://h/{o}', { o: { x: 1 } }, 'http://h/%7B%22x%22%3A1%7D', {}],
  ])('%s with %j', (template, args, href, rest) => {
    const filled = fillUrl(template, args)
    expect(filled.url.href).toBe(href)
    expect(filled.rest).toEqual(rest)
  })

  it.each([
    ['http://h/a/{id}', {}, 'needs a value for {id}'],
    ['http://h/a/{id}', { id: '' }, 'needs a value for {id}'],
    ['http://h/a/{id}', { id: null }, 'needs a value for {id}'],
    ['http://h/a/{id}/b', { id: '..' }, 'may not become'],
    ['http://h/a/{x}{y}/b', { x: '.', y: '.' }, 'may not become'],
    ['http://h/a/{id}', { id: '\ud800' }, 'not valid Unicode'],
    ['http://h/a/{long}', { long: 'x'.repeat(65_537) }, 'at most 65536 characters'],
    ['http://{host}/a', { host: 'evil' }, 'cannot name the host'],
    ['http://', {}, 'is not a url'],
    ['http://u:p@h/', {}, 'must not hold credentials'],
  ])('%s with %j fails: %s', (template, args, message) =>
    expect(() => fillUrl(template, args)).toThrow(message),
  )
})

describe('appendQuery', () => {
  it('repeats lists, prints objects as JSON, leaves null out', () => {
    const url = parseUrl('http://h/?z=0')
    appendQuery(url, { a: ['x', 1, null], b: { c: true }, d: null, e: 9007199254740993n, f: false })
    expect(url.search).toBe('?z=0&a=x&a=1&b=%7B%22c%22%3Atrue%7D&e=9007199254740993&f=false')
  })

  it.each([
    ['a text', { a: 'x'.repeat(65_536) }],
    ['texts together', { a: 'x'.repeat(40_000), b: ['x'.repeat(20_000), 'x'.repeat(20_000)] }],
    ['an object', { a: { b: 'x'.repeat(65_536) } }],
  ])('refuses what no url should hold: %s', (_name, args) => {
    expect(() => appendQuery(parseUrl('http://h/'), args)).toThrow('at most 65536 characters')
  })
})
