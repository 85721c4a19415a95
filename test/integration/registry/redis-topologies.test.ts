import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { describe, expect, it, onTestFinished } from 'vitest'
import { freePort } from '../../support/free-port.js'
import { openMirror, readyMirror } from '../../support/redis-mirror.js'
import { startRedisServer } from '../../support/redis-server.js'
import { clusterWithWriter } from '../../support/redis-topologies.js'
import { waitUntil } from '../../support/wait-until.js'

describe('a cluster', () => {
  it('is mirrored from every master, and every master tells its changes', async () => {
    const { cluster, writer } = await clusterWithWriter()
    for (let index = 0; index < 60; index += 1) await writer.set(`shenma:environs:k${index}`, String(index))
    const registry = await readyMirror(cluster.url)
    expect(registry.current.environs.size).toBe(60)
    await waitUntil(() => registry.status.store.mode === 'tracking', 'tracking')
    const loads = registry.status.sync.fullLoads
    for (let index = 0; index < 60; index += 1) await writer.set(`shenma:environs:k${index}`, '"new"')
    await waitUntil(
      () => [...registry.current.environs].every(([, { value }]) => value === 'new'),
      'the changes',
    )
    await writer.del('shenma:environs:k1')
    await waitUntil(() => !registry.current.environs.has('k1'), 'the deletion')
    await writer.del('shenma:environs:k2')
    await writer.lpush('shenma:environs:k2', 'a list')
    await waitUntil(() => registry.current.diagnostics.length === 1, 'the change of type')
    expect(registry.current.diagnostics).toMatchObject([{ id: 'k2', code: 'unreadable' }])
    expect(registry.status.sync.fullLoads).toBe(loads)
  })
})

describe('one server', () => {
  it('with a password, a user and a database of its own', async () => {
    const server = await startRedisServer({ args: ['--requirepass', 'p@ss:w/rd'] })
    onTestFinished(() => server.stop())
    const redis = new Redis(server.url, { password: 'p@ss:w/rd', db: 3 })
    onTestFinished(() => redis.disconnect())
    await redis.set('other:environs:a', '1')
    const url = `redis://:${encodeURIComponent('p@ss:w/rd')}@127.0.0.1:${server.port}/3`
    const registry = openMirror(url, { keyPrefix: 'other' })
    onTestFinished(() => registry.close())
    await registry.whenReady()
    expect(registry.current.context).toEqual({ a: 1 })
    await redis.set('other:environs:a', '2')
    await waitUntil(() => registry.current.context['a'] === 2, 'the change')
    expect(JSON.stringify(registry.status)).not.toContain('p@ss')
    expect(JSON.stringify(registry.status)).not.toContain(encodeURIComponent('p@ss'))
  })

  it('over TLS', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'aps-tls-'))
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
    const [key, cert] = [join(directory, 'key.pem'), join(directory, 'cert.pem')]
    execFileSync(
      'openssl',
      ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
        .concat(['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1'])
        .concat(['-keyout', key, '-out', cert]),
      { stdio: 'ignore' },
    )
    const tlsPort = await freePort()
    const args = ['--tls-port', String(tlsPort), '--tls-cert-file', cert, '--tls-key-file', key]
    const server = await startRedisServer({
      args: [...args, '--tls-ca-cert-file', cert, '--tls-auth-clients', 'no'],
    })
    onTestFinished(() => server.stop())
    const redis = new Redis(server.url)
    onTestFinished(() => redis.disconnect())
    await redis.set('shenma:environs:a', '1')
    const registry = await readyMirror(`rediss://127.0.0.1:${tlsPort}?tlsCa=${encodeURIComponent(cert)}`)
    await redis.set('shenma:environs:a', '2')
    await waitUntil(() => registry.current.context['a'] === 2, 'the change')
    const distrusting = openMirror(`rediss://127.0.0.1:${tlsPort}`)
    onTestFinished(() => distrusting.close())
    await waitUntil(() => /certificate/.test(distrusting.status.store.detail ?? ''), 'the refusal')
    expect(distrusting.status.ready).toBe(false)
  })

  it('two replicas of the service come to one revision', async () => {
    const server = await startRedisServer()
    onTestFinished(() => server.stop())
    const redis = new Redis(server.url)
    onTestFinished(() => redis.disconnect())
    await redis.set('shenma:environs:a', '1')
    const first = await readyMirror(server.url)
    for (let index = 0; index < 200; index += 1) {
      await redis.set(`shenma:environs:k${index % 50}`, String(index))
      if (index % 7 === 0) await redis.del(`shenma:environs:k${(index * 3) % 50}`)
      if (index % 11 === 0)
        await redis.set('shenma:templates:x:y', index % 2 ? '{broken' : '{"userPrompt":"x"}')
    }
    const second = await readyMirror(server.url)
    await waitUntil(() => first.current.revision === second.current.revision, 'one revision')
    expect(first.current.environs.ids()).toEqual(second.current.environs.ids())
  })
})
