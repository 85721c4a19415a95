import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { loadConfig } from '../../../src/config.js'

interface Service {
  readonly image?: string
  readonly build?: unknown
  readonly profiles?: readonly string[]
  readonly command?: readonly string[]
  readonly volumes?: readonly string[]
  readonly ports?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly healthcheck?: { readonly test: readonly string[] }
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>
  readonly read_only?: boolean
  readonly cap_drop?: readonly string[]
  readonly security_opt?: readonly string[]
  readonly tmpfs?: readonly string[]
}
interface Compose {
  readonly services: Readonly<Record<string, Service>>
  readonly volumes: Readonly<Record<string, unknown>>
}

const root = resolve(import.meta.dirname, '../../..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const compose: Compose = parse(read('docker-compose.yml'), { merge: true })
const services = Object.entries(compose.services)
const dockerfile = read('Dockerfile')

describe('docker-compose.yml', () => {
  it.each(services)('%s writes nowhere but where it may, and gains no rights', (_name, service) => {
    expect(service).toMatchObject({
      read_only: true,
      tmpfs: ['/tmp'],
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
    })
    expect(service.image ?? service.build).toBeDefined()
    if (service.image !== undefined) expect(service.image).toMatch(/:\d/)
  })

  it('publishes ports to this machine only', () => {
    const ports = services.flatMap(([, service]) => service.ports ?? [])
    expect(ports.length).toBeGreaterThan(1)
    expect(ports.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([])
  })

  it('waits for what can tell that it is there', () => {
    for (const [name, { depends_on = {} }] of services)
      for (const [other, { condition }] of Object.entries(depends_on)) {
        const needed = compose.services[other]
        expect(needed, `${name} needs ${other}`).toBeDefined()
        const isHealthy =
          condition === 'service_healthy' &&
          (needed?.healthcheck !== undefined || needed?.build !== undefined)
        expect(
          isHealthy || condition === 'service_completed_successfully',
          `${name} waits for ${other}`,
        ).toBe(true)
      }
  })

  it('gives the service settings that it takes', () => {
    const { environment = {} } = compose.services['shell'] ?? {}
    const given = Object.entries(environment).map(([name, value]) => [name, value.replace(/\$\{\w+:-\}/, '')])
    expect(loadConfig({ environment: Object.fromEntries(given) })).toMatchObject({
      redisUrl: 'redis://redis:6379',
      adminPort: 9090,
    })
  })

  it('starts the collector only when telemetry is asked for, with a file that reads this service', () => {
    const collector = compose.services['collector']
    expect(collector?.profiles).toEqual(['telemetry'])
    const [file = ''] = (collector?.volumes?.[0] ?? '').split(':')
    expect(existsSync(join(root, file))).toBe(true)
    const { receivers, exporters, processors, service } = parse(read(file))
    expect(receivers.prometheus.config.scrape_configs[0].static_configs).toEqual([
      { targets: ['shell:9090'] },
    ])
    for (const pipeline of Object.values<Record<string, string[]>>(service.pipelines)) {
      expect(Object.keys(receivers)).toEqual(expect.arrayContaining(pipeline['receivers'] ?? ['none']))
      expect(Object.keys(processors)).toEqual(expect.arrayContaining(pipeline['processors'] ?? ['none']))
      expect(Object.keys(exporters)).toEqual(expect.arrayContaining(pipeline['exporters'] ?? ['none']))
    }
  })

  it('keeps what Redis keeps', () => {
    expect(Object.keys(compose.volumes)).toEqual(['redis-data'])
    expect(compose.services['redis']?.volumes).toEqual(['redis-data:/data'])
  })
})

describe('the image', () => {
  const last = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '))

  it('has no shell, and everything in it is said in exec form', () => {
    expect(dockerfile).toMatch(/^ARG RUNTIME_IMAGE=gcr\.io\/distroless\/nodejs24-debian13:nonroot$/m)
    expect(last).toContain('FROM ${RUNTIME_IMAGE}')
    expect(last).not.toMatch(/^RUN /m)
    expect(last).toMatch(/^USER 65532:65532$/m)
    for (const name of ['ENTRYPOINT', 'CMD'])
      expect(last).toMatch(new RegExp(`^ *${name} \\["/nodejs/bin/node", `, 'm'))
  })

  it('installs what the lock says, and runs no scripts of packages', () => {
    const installs = dockerfile.match(/npm (ci|install|i)\b[^\n]*/g) ?? []
    expect(installs).toEqual(Array(installs.length).fill('npm ci --ignore-scripts'))
    expect(installs.length).toBe(2)
  })
})
