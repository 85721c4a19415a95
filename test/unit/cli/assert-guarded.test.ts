import { describe, expect, it } from 'vitest'
import { assertGuarded } from '../../../src/cli/assert-guarded.js'
import { loadConfig } from '../../../src/config.js'
import { isLoopback } from '../../../src/http/doors/is-loopback.js'

describe('an address that others reach', () => {
  it.each([
    ['127.0.0.1', true],
    ['127.8.9.10', true],
    ['::1', true],
    ['::ffff:127.0.0.1', true],
    ['localhost', true],
    ['unix:/run/shell.sock', true],
    ['0.0.0.0', false],
    ['::', false],
    ['10.0.0.1', false],
    ['shell.internal', false],
  ])('%s: only this machine %s', (host, expected) => {
    expect(isLoopback(host)).toBe(expected)
  })

  it.each([
    [{ HOST: '0.0.0.0' }, false],
    [{ HOST: '0.0.0.0', ALLOW_ANONYMOUS: 'false' }, false],
    [{ HOST: '0.0.0.0', ALLOW_ANONYMOUS: 'true' }, true],
    [{ HOST: '0.0.0.0', API_KEYS: 'first-key-1' }, true],
    [{ HOST: '127.0.0.1' }, true],
    [{}, true],
  ])('%j may serve: %s', (environment, mayServe) => {
    const check = () => assertGuarded(loadConfig({ environment }))
    if (mayServe) expect(check).not.toThrow()
    else expect(check).toThrow(/^Invalid configuration:\n {2}- HOST: 0\.0\.0\.0 .*API_KEYS.*ALLOW_ANONYMOUS/)
  })
})
