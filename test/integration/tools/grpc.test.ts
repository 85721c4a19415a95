import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Metadata, ServerCredentials, status } from '@grpc/grpc-js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ToolSettings } from '../../../src/tools/tool-settings.js'
import { DEFAULT_TOOL_SETTINGS } from '../../../src/tools/tool-settings.js'
import { createTools, type Tools } from '../../../src/tools/tools.js'
import type { JsonObject } from '../../../src/util/json/json.js'
import { callOptions, callWith, loopbackSettings, toolEntry } from '../../support/tool-entry.js'
import { type GrpcServerOptions, LOOKUP_PROTO, startGrpcServer, type TestGrpcServer } from './grpc-server.js'

let server: TestGrpcServer
let tools: Tools

beforeAll(async () => {
  server = await startGrpcServer()
  tools = createTools({ settings: loopbackSettings() })
})
afterAll(async () => {
  await tools.close()
  await server.close()
})

function call(
  args: JsonObject,
  url = `127.0.0.1:${server.port}`,
  method = 'test.lookup.Lookup/Find',
  by = tools,
) {
  const connection = { type: 'grpc', url, method } as const
  const tool = toolEntry('codebase.find', {
    connection,
    parameters: { type: 'object' },
    headers: { 'x-named': 'yes' },
  })
  return callWith(by.caller, tool, [args], callOptions({ traceparent: '00-1-2-01', idempotencyKey: 'k-1' }))
}

async function withServer<Result>(
  options: GrpcServerOptions,
  run: (url: string) => Promise<Result>,
): Promise<Result> {
  const other = await startGrpcServer(options)
  try {
    return await run(`127.0.0.1:${other.port}`)
  } finally {
    await other.close()
  }
}

async function withTools<Result>(
  settings: Partial<ToolSettings>,
  run: (tools: Tools) => Promise<Result>,
): Promise<Result> {
  const own = createTools({ settings: loopbackSettings(settings) })
  try {
    return await run(own)
  } finally {
    await own.close()
  }
}

const EVERYTHING = {
  symbol: 'CreateObject',
  max_results: 7,
  kind: 'FUNCTION',
  paths: ['src', '测试'],
  weights: { a: 9007199254740993n, b: -2 },
  token: 'AAEC',
  exact: false,
  since: '2026-01-31T12:00:00.25Z',
  filter: { nested: { list: [1, 'two', null, true] } },
  revision: 18446744073709551615n,
  ratio: 0.5,
}
const DEFAULTS = {
  symbol: '',
  max_results: 0,
  kind: 'ANY',
  paths: [],
  weights: {},
  token: '',
  since: null,
  filter: null,
  revision: 0,
  ratio: 0,
}

describe('grpc tools', () => {
  it('maps JSON to messages and back, by reflection', async () => {
    expect(await call(EVERYTHING)).toMatchObject({
      ok: true,
      value: { query: EVERYTHING, texts: [{ text: 'one' }], none: '', absent: null },
    })
  })

  it('fills in defaults and understands camelCase', async () => {
    const outcome = await call({ maxResults: 3 })
    expect(outcome.ok && (outcome.value as JsonObject)['query']).toEqual({ ...DEFAULTS, max_results: 3 })
  })

  it.each(['grpc://', 'http://', 'dns:///'])('understands %s', async (scheme) => {
    expect(await call({}, `${scheme}127.0.0.1:${server.port}`)).toMatchObject({ ok: true })
  })

  it.each(['/test.lookup.Lookup/Find', 'test.lookup.Lookup.Find'])('understands %s', async (method) => {
    expect(await call({}, undefined, method)).toMatchObject({ ok: true })
  })

  it('falls back to the older reflection', async () => {
    await withServer({ reflection: 'v1alpha' }, async (url) => {
      expect(await call({ symbol: 'x' }, url)).toMatchObject({ ok: true })
    })
  })

  it('needs no reflection for what a .proto file describes', async () => {
    const grpc = { ...DEFAULT_TOOL_SETTINGS.grpc, protoFiles: [LOOKUP_PROTO] }
    await withServer({ reflection: 'none' }, async (url) => {
      expect(await call({}, url)).toMatchObject({ ok: false, code: 'invalid_tool' })
      const outcome = await withTools({ grpc }, (own) => call(EVERYTHING, url, undefined, own))
      expect(outcome).toMatchObject({ ok: true, value: { query: EVERYTHING } })
    })
  })

  it('forwards metadata and deadline', async () => {
    let seen: Metadata | undefined
    let deadline: unknown
    const act: GrpcServerOptions['act'] = (request, callback) => {
      seen = request.metadata
      deadline = request.getDeadline()
      callback(null, { text: 'ok' })
    }
    await withServer({ act }, (url) => call({ verb: 'x' }, url, 'test.lookup.Lookup/Act'))
    expect(seen?.get('x-named')).toEqual(['yes'])
    expect(seen?.get('x-request-id')).toEqual(['test-request'])
    expect(seen?.get('traceparent')).toEqual(['00-1-2-01'])
    expect(seen?.get('idempotency-key')).toEqual(['k-1'])
    expect(Number(deadline) - Date.now()).toBeLessThan(6_000)
  })

  it.each([
    [status.INVALID_ARGUMENT, 'rejected'],
    [status.NOT_FOUND, 'rejected'],
    [status.INTERNAL, 'upstream_error'],
    [status.UNAVAILABLE, 'connection_lost'],
    [status.DEADLINE_EXCEEDED, 'timeout'],
    [status.RESOURCE_EXHAUSTED, 'upstream_error'],
  ] as const)('reports status %s as %s', async (code, failure) => {
    const act: GrpcServerOptions['act'] = (_request, callback) => callback({ code, details: 'the reason' })
    const outcome = await withServer({ act }, (url) => call({}, url, 'test.lookup.Lookup/Act'))
    expect(outcome).toMatchObject({ ok: false, code: failure })
    expect(outcome.ok ? '' : outcome.message).toContain('the reason')
  })

  it.each([
    [
      'an unknown field',
      { sybmol: 'x' },
      'invalid_arguments',
      'arguments.sybmol is not a field of test.lookup.Query',
    ],
    [
      'a wrong type',
      { max_results: 'many' },
      'invalid_arguments',
      'arguments.max_results must be an integer',
    ],
    ['a wrong list', { paths: 'src' }, 'invalid_arguments', 'arguments.paths must be a list'],
    ['a wrong enum', { kind: 'NO' }, 'invalid_arguments', 'must be one of ANY, TYPE, FUNCTION'],
    ['a wrong time', { since: 'now' }, 'invalid_arguments', 'arguments.since must be a time'],
  ])('refuses %s', async (_name, args, code, message) => {
    const outcome = await call(args)
    expect(outcome).toMatchObject({ ok: false, code })
    expect(outcome.ok ? '' : outcome.message).toContain(message)
  })

  it.each([
    ['a stream', 'test.lookup.Lookup/Watch', 'is a stream'],
    ['no such method', 'test.lookup.Lookup/Nothing', 'has no method Nothing'],
    ['no such service', 'test.lookup.Nowhere/Find', 'does not describe test.lookup.Nowhere'],
    ['not a method', 'Find', 'is not a gRPC method'],
  ])('refuses %s', async (_name, method, message) => {
    const outcome = await call({}, undefined, method)
    expect(outcome).toMatchObject({ ok: false, code: 'invalid_tool' })
    expect(outcome.ok ? '' : outcome.message).toContain(message)
  })

  it('speaks TLS with the configured authority, and only with it', async () => {
    const { key, certificate } = selfSigned()
    const pair = { private_key: Buffer.from(key), cert_chain: Buffer.from(certificate) }
    const warnings: unknown[] = []
    process.on('warning', (warning) => warnings.push((warning as NodeJS.ErrnoException).code))
    const credentials = ServerCredentials.createSsl(null, [pair])
    await withServer({ credentials }, async (url) => {
      const grpc = { ...DEFAULT_TOOL_SETTINGS.grpc, rootCertificates: certificate }
      const warnings: string[] = []
      const onWarning = (warning: Error & { readonly code?: string }) =>
        void warnings.push(warning.code ?? warning.message)
      process.on('warning', onWarning)
      const trusted = await withTools({ grpc }, (own) => call({}, `grpcs://${url}`, undefined, own))
      expect(trusted).toMatchObject({ ok: true })
      expect(await call({}, `grpcs://${url}`)).toMatchObject({ ok: false })
      // An address is no server name: older releases of Node warn, newer ones refuse.
      expect(warnings).not.toContain('DEP0123')
    })
  })

  it('refuses the certificate of another address', async () => {
    const { key, certificate } = selfSigned('127.0.0.9')
    const pair = { private_key: Buffer.from(key), cert_chain: Buffer.from(certificate) }
    await withServer({ credentials: ServerCredentials.createSsl(null, [pair]) }, async (url) => {
      const grpc = { ...DEFAULT_TOOL_SETTINGS.grpc, rootCertificates: certificate }
      const outcome = await withTools({ grpc }, (own) => call({}, `grpcs://${url}`, undefined, own))
      expect(outcome).toMatchObject({ ok: false })
      expect(outcome.ok ? '' : outcome.message).toContain("does not match certificate's altnames")
    })
  })

  it('obeys the host policy', async () => {
    expect(await call({}, '127.0.0.2:50051')).toMatchObject({ ok: false, code: 'host_not_allowed' })
  })
})

function selfSigned(address = '127.0.0.1'): { key: string; certificate: string } {
  const directory = mkdtempSync(join(tmpdir(), 'grpc-tls-'))
  const [key, certificate] = [join(directory, 'key.pem'), join(directory, 'certificate.pem')]
  const names = `subjectAltName=IP:${address}`
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  const options = [...newKey, '-days', '2', '-subj', '/CN=127.0.0.1', '-addext', names]
  const files = ['-keyout', key, '-out', certificate]
  execFileSync('openssl', ['req', '-x509', ...options, ...files], { stdio: 'ignore' })
  const texts = { key: readFileSync(key, 'utf8'), certificate: readFileSync(certificate, 'utf8') }
  rmSync(directory, { recursive: true })
  return texts
}
