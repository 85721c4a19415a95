import { describe, expect, it } from 'vitest'
import { parseRedisUrl, RedisUrlError } from '../../../src/redis/redis-url.js'
import { createRedisKeys, escapeGlob } from '../../../src/store/redis-keys.js'

describe('redis urls', () => {
  it.each([
    {
      url: 'redis://localhost',
      target: { topology: 'standalone', addresses: [{ host: 'localhost', port: 6379 }], database: 0 },
    },
    {
      url: 'redis://h:7000/3',
      target: { addresses: [{ host: 'h', port: 7000 }], database: 3, password: undefined },
    },
    { url: 'redis://:p%40ss@h', target: { username: undefined, password: 'p@ss' } },
    { url: 'redis://user:a:b@h', target: { username: 'user', password: 'a:b' } },
    { url: 'redis://[::1]:6380', target: { addresses: [{ host: '::1', port: 6380 }] } },
    {
      url: 'redis+sentinel://u:p@a,b:26380/main/2?sentinelPassword=s',
      target: {
        topology: 'sentinel',
        addresses: [
          { host: 'a', port: 26379 },
          { host: 'b', port: 26380 },
        ],
        masterName: 'main',
        database: 2,
        sentinelPassword: 's',
        location: 'redis+sentinel://a,b:26380/main/2',
      },
    },
    {
      url: 'redis+cluster://a:1,b:2',
      target: { topology: 'cluster', masterName: undefined, location: 'redis+cluster://a:1,b:2' },
    },
    {
      url: 'rediss://h?tlsServerName=x&tlsInsecure=true',
      target: { tls: { servername: 'x', rejectUnauthorized: false } },
    },
    { url: 'rediss+cluster://h', target: { topology: 'cluster', tls: {} } },
  ])('$url', ({ url, target }) => {
    expect(parseRedisUrl(url)).toMatchObject(target)
  })

  it.each([
    'http://h',
    'redis://',
    'redis://h/x',
    'redis://h/1/2',
    'redis://h:99999',
    'redis://a,b',
    'redis+sentinel://h',
    'redis+cluster://h/1',
    'redis://h?tls=true',
    'rediss://h?tlsCa=/does/not/exist',
    'redis://:%ZZ@h',
    'redis://user:secret@h:port',
  ])('refused without telling secrets: %s', (url) => {
    expect(() => parseRedisUrl(url)).toThrow(RedisUrlError)
    expect(() => parseRedisUrl(url)).not.toThrow(/secret/)
  })
})

describe('redis keys', () => {
  it('name documents and nothing else', () => {
    const keys = createRedisKeys('app')
    const address = { kind: 'tools', path: ['a', 'b'] } as const
    const { key, name } = keys.keyOf(address)
    expect([key, name]).toEqual(['app:tools:a:b', 'tools:a:b'])
    expect(keys.find(key)).toMatchObject({ key, name })
    expect(keys.find(key)?.address).toEqual(address)
    for (const key of ['app', 'app:tools', 'app:other:a', 'apptools:a', 'x:tools:a', 'app:toString:a'])
      expect(keys.find(key), key).toBeUndefined()
  })

  it('match globs literally', () => {
    expect(escapeGlob('a*b?[c]\\^')).toBe('a\\*b\\?\\[c\\]\\\\\\^')
  })
})
