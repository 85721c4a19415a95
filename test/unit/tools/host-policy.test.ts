import { describe, expect, it } from 'vitest'
import { createHostPolicy } from '../../../src/tools/host-policy.js'

const isAllowed = (patterns: readonly string[], url: string, configured: readonly string[] = []) => {
  try {
    createHostPolicy(
      patterns,
      configured.map((text) => new URL(text)),
    ).assertAllowed(new URL(url))
    return true
  } catch (error) {
    expect((error as Error).message).toContain('TOOL_ALLOWED_HOSTS')
    return false
  }
}

describe('host policy', () => {
  it.each([
    [[], 'http://a/', false],
    [['a'], 'http://a/', true],
    [['a'], 'http://a:8080/', true],
    [['a:80'], 'http://a/', true],
    [['a:80'], 'https://a/', false],
    [['a:443'], 'https://a/', true],
    [['A.Example'], 'http://a.example./', true],
    [['a:*'], 'http://a:1/', true],
    [['*'], 'http://anything:1/', true],
    [['*.svc.local:80'], 'http://x.svc.local/', true],
    [['*.svc.local:80'], 'http://x.y.svc.local/', true],
    [['*.svc.local:80'], 'http://svc.local/', false],
    [['*.svc.local:80'], 'http://x.svc.local:81/', false],
    [['*.svc.local'], 'http://x.svc.local.evil.com/', false],
    [['a.b'], 'http://axb/', false],
    [['127.0.0.1:*'], 'http://127.0.0.1:9/', true],
    [['127.0.0.1:*'], 'http://2130706433:9/', true],
    [['127.0.0.1:*'], 'http://0x7f.1:9/', true],
    [['127.0.0.1:*'], 'http://localhost:9/', false],
    [['127.0.0.1:*'], 'http://[::1]:9/', false],
    [['[::1]:9'], 'http://[::1]:9/', true],
    [['[0:0::1]'], 'http://[::1]:9/', true],
  ])('%j and %s: %s', (patterns, url, allowed) => expect(isAllowed(patterns, url)).toBe(allowed))

  it('allows configured hosts with exactly their port', () => {
    expect(isAllowed([], 'http://tools:9000/x', ['http://tools:9000/base'])).toBe(true)
    expect(isAllowed([], 'http://tools:9001/x', ['http://tools:9000/base'])).toBe(false)
    expect(isAllowed([], 'https://tools/x', ['https://tools'])).toBe(true)
  })

  it.each(['ftp://a/', 'file:///etc/passwd', 'ws://a/'])('refuses %s whatever is allowed', (url) => {
    expect(() => createHostPolicy(['*'], []).assertAllowed(new URL(url))).toThrow('http and https')
  })

  it.each(['', 'a b', 'a:b', 'a:123456', 'http://a', 'a/b', '[::1'])('refuses the pattern %j', (pattern) => {
    expect(() => createHostPolicy([pattern], [])).toThrow('is not a host')
  })

  it.each([
    [['*'], 'localhost', undefined],
    [['*'], '127.0.0.1', undefined],
    [['*'], 'evil.test', 'leads to the loopback address'],
    [['*.test'], 'evil.test', 'leads to the loopback address'],
    [['mine.test:80'], 'mine.test', undefined],
  ])('with %j, %s may lead to loopback: %s', (patterns, hostname, reason) => {
    const found = createHostPolicy(patterns, []).addressRule(hostname, '127.0.0.1')
    if (reason === undefined) expect(found).toBeUndefined()
    else expect(found).toContain(reason)
  })
})
