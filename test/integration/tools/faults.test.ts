import { createServer as createHttp2Server } from 'node:http2'
import type { AddressInfo, Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import type { ToolDefinition } from '../../../src/registry/snapshot.js'
import type { ToolOutcome } from '../../../src/tools/tool.js'
import type { ToolFailureCode } from '../../../src/tools/tool-failure.js'
import type { ToolSettings } from '../../../src/tools/tool-settings.js'
import { createTools, type Tools, type ToolsOptions } from '../../../src/tools/tools.js'
import type { CallContext } from '../../../src/util/call-context.js'
import { callOptions, callWith, loopbackSettings, toolEntry } from '../../support/tool-entry.js'
import { type GrpcServerOptions, startGrpcServer } from './grpc-server.js'
import { eventually, sendJson, startHttpServer } from './http-server.js'
import { startMcpServer } from './mcp-server.js'
import { released, startRawServer } from './raw-server.js'

type Protocol = 'restful' | 'grpc' | 'mcp'
const PROTOCOLS = ['restful', 'grpc', 'mcp'] as const

/** Where a call is to end by its limit. */
const TIMEOUT_MS = 400
/** Where it is not, however slow the machine is. */
const PATIENCE_MS = 20_000
const HUGE_BYTES = 20_000_000
const METADATA = 'http://169.254.169.254/latest/meta-data/'

function connectionTo(protocol: Protocol, host: string): ToolDefinition['connection'] {
  switch (protocol) {
    case 'restful':
      return { type: 'restful', url: `http://${host}/`, method: 'POST' }
    case 'grpc':
      return { type: 'grpc', url: host, method: 'test.lookup.Lookup/Find' }
    case 'mcp':
      return { type: 'mcp', url: `http://${host}/mcp`, server: undefined, tool: 'echo' }
  }
}

/** Different names, so that no call meets another one's circuit breaker. */
let calls = 0

async function call(
  tools: Tools,
  protocol: Protocol,
  host: string,
  timeoutMs = PATIENCE_MS,
): Promise<ToolOutcome> {
  calls += 1
  const parameters = { type: 'object' }
  const tool = toolEntry(`fault.t${calls}`, {
    connection: connectionTo(protocol, host),
    parameters,
    timeoutMs,
  })
  return callWith(tools.caller, tool, [{}], patiently())
}

function patiently(): CallContext {
  return callOptions({ deadlineAt: Date.now() + PATIENCE_MS })
}

async function withTools<Result>(
  run: (tools: Tools) => Promise<Result>,
  settings: Partial<ToolSettings> = {},
  options: Partial<ToolsOptions> = {},
): Promise<Result> {
  const tools = createTools({
    settings: loopbackSettings({ connectTimeoutMs: 2_000, ...settings }),
    ...options,
  })
  try {
    return await run(tools)
  } finally {
    await tools.close()
  }
}

const http = (head: string, body = '') => `HTTP/1.1 ${head}\r\n\r\n${body}`
const TYPES: Readonly<Record<Protocol, string>> = {
  restful: 'application/json',
  grpc: 'application/grpc',
  mcp: 'application/json',
}

interface RawFault {
  readonly name: string
  readonly misbehave: (protocol: Protocol) => (socket: Socket) => void
  readonly codes: readonly ToolFailureCode[]
}

/** Faults below the protocol: the same for all three. */
const RAW_FAULTS: readonly RawFault[] = [
  {
    name: 'reset at once',
    misbehave: () => (socket) => socket.resetAndDestroy(),
    codes: ['connection_lost', 'unreachable'],
  },
  {
    name: 'reset after the request',
    misbehave: () => (socket) => socket.once('data', () => socket.resetAndDestroy()),
    codes: ['connection_lost', 'unreachable'],
  },
  { name: 'hang', misbehave: () => (socket) => socket.resume(), codes: ['timeout'] },
  {
    name: 'one byte per second',
    misbehave: (protocol) => (socket) => {
      const text = http(
        `200 OK\r\ncontent-type: ${TYPES[protocol]}\r\ncontent-length: 1000`,
        'x'.repeat(1000),
      )
      let sent = 0
      const timer = setInterval(() => socket.write(text.charAt(sent++)), 1_000)
      socket.on('close', () => clearInterval(timer)).resume()
    },
    codes: ['timeout', 'connection_lost', 'unreachable'],
  },
  {
    name: 'one byte per second, after the headers',
    misbehave: (protocol) => (socket) => {
      socket.once('data', () => {
        socket.write(http(`200 OK\r\ncontent-type: ${TYPES[protocol]}\r\ncontent-length: 1000`, '{'))
        const timer = setInterval(() => socket.write(' '), 1_000)
        socket.on('close', () => clearInterval(timer)).resume()
      })
    },
    codes: ['timeout', 'connection_lost', 'unreachable'],
  },
  {
    name: 'garbage',
    misbehave: () => (socket) =>
      socket.once('data', () => socket.end('\u0000\u0001 this is no protocol\r\n\r\n')),
    codes: ['bad_response', 'connection_lost', 'unreachable'],
  },
  {
    name: 'half of the answer',
    misbehave: (protocol) => (socket) =>
      socket.once('data', () => {
        socket.end(http(`200 OK\r\ncontent-type: ${TYPES[protocol]}\r\ncontent-length: 1000`, '{"half":'))
      }),
    codes: ['bad_response', 'connection_lost', 'unreachable'],
  },
  {
    name: 'the wrong type',
    misbehave: () => (socket) => {
      const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xff, 0xfe])
      socket.once('data', () => {
        socket.write(http(`200 OK\r\ncontent-type: image/png\r\ncontent-length: ${png.length}`))
        socket.end(png)
      })
    },
    codes: ['bad_response', 'connection_lost', 'unreachable'],
  },
  {
    name: 'endless headers',
    misbehave: () => (socket) =>
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\n')
        const timer = setInterval(() => socket.write(`x-${'y'.repeat(8_000)}: z\r\n`), 1)
        socket.on('close', () => clearInterval(timer)).resume()
      }),
    codes: ['bad_response', 'connection_lost', 'unreachable', 'timeout'],
  },
]

const MATRIX = PROTOCOLS.flatMap((protocol) =>
  RAW_FAULTS.map((fault) => [protocol, fault.name, fault] as const),
)

describe('a server that misbehaves below the protocol', () => {
  it.each(MATRIX)('%s: %s', async (protocol, _name, { misbehave, codes }) => {
    const server = await startRawServer(misbehave(protocol))
    await withTools(async (tools) => {
      const limit = codes.includes('timeout') ? TIMEOUT_MS : PATIENCE_MS
      const outcome = await call(tools, protocol, `127.0.0.1:${server.port}`, limit)
      expect(outcome.ok).toBe(false)
      expect(codes).toContain(outcome.ok ? 'ok' : outcome.code)
      await eventually(() => tools.caller.status.inFlight === 0)
    })
    await released(server)
    await server.close()
  })
})

describe('a server that sends too much', () => {
  const chunk = Buffer.alloc(1_000_000, 'x')

  it.each([
    ['restful', 'application/json', ['too_large'], PATIENCE_MS],
    ['mcp', 'application/json', ['too_large'], PATIENCE_MS],
    // While connecting, the SDK keeps to itself that a stream broke.
    ['mcp', 'text/event-stream', ['too_large', 'timeout'], 3_000],
  ] as const)('%s: 20 MB as %s', async (protocol, type, codes, limit) => {
    let sent = 0
    const server = await startHttpServer(async (_request, response) => {
      response.writeHead(200, { 'content-type': type })
      for (; sent < HUGE_BYTES && !response.destroyed; sent += chunk.length) {
        if (!response.write(chunk))
          await new Promise((resolve) => response.once('drain', resolve).once('close', resolve))
      }
      response.end()
    })
    await withTools(async (tools) => {
      const outcome = await call(tools, protocol, `127.0.0.1:${server.port}`, limit)
      expect(codes).toContain(outcome.ok ? 'ok' : outcome.code)
    })
    expect(sent).toBeLessThan(HUGE_BYTES / 2)
    await released(server)
    await server.close()
  })

  it.each(['restful', 'mcp'] as const)('%s: a gzip bomb', async (protocol) => {
    const bomb = gzipSync(Buffer.alloc(HUGE_BYTES))
    const server = await startHttpServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
      response.end(bomb)
    })
    await withTools(async (tools) => {
      expect(await call(tools, protocol, `127.0.0.1:${server.port}`)).toMatchObject({
        ok: false,
        code: 'too_large',
      })
    })
    await server.close()
  })

  it.each([
    ['20 MB', HUGE_BYTES, false],
    ['a gzip bomb', HUGE_BYTES, true],
    ['a little too much', 2_000_000, false],
  ])('grpc: %s', async (_name, size, gzip) => {
    const act: GrpcServerOptions['act'] = (_request, callback) => {
      callback(null, { text: 'x'.repeat(size) })
    }
    const server = await startGrpcServer({ act, gzip })
    await withTools(async (tools) => {
      const connection = {
        type: 'grpc',
        url: `127.0.0.1:${server.port}`,
        method: 'test.lookup.Lookup/Act',
      } as const
      const tool = toolEntry('fault.large', { connection, parameters: { type: 'object' } })
      expect(await callWith(tools.caller, tool, [{}], patiently())).toMatchObject({
        ok: false,
        code: 'too_large',
      })
    })
    await server.close()
  })
})

describe('a redirect to the metadata address', () => {
  it.each([
    ['restful', 302, 0, ['redirect_refused']],
    ['restful', 307, 2, ['host_not_allowed', 'address_refused']],
    ['mcp', 302, 0, ['redirect_refused', 'rejected']],
    ['mcp', 307, 2, ['redirect_refused', 'rejected']],
  ] as const)('%s: %s with %s redirects allowed', async (protocol, status, maxRedirects, codes) => {
    const server = await startHttpServer((_request, response) => {
      response.writeHead(status, { location: METADATA }).end()
    })
    await withTools(
      async (tools) => {
        const outcome = await call(tools, protocol, `127.0.0.1:${server.port}`)
        expect(codes).toContain(outcome.ok ? 'ok' : outcome.code)
      },
      { maxRedirects },
    )
    await server.close()
  })

  it('restful: refused also where every host is allowed', async () => {
    const server = await startHttpServer((_request, response) => {
      response.writeHead(302, { location: METADATA }).end()
    })
    const settings = { maxRedirects: 1, allowedHosts: ['*'] }
    await withTools(async (tools) => {
      expect(await call(tools, 'restful', `127.0.0.1:${server.port}`)).toMatchObject({
        code: 'address_refused',
      })
    }, settings)
    await server.close()
  })

  it('grpc: is an error like any other', async () => {
    const server = createHttp2Server()
    server.on('stream', (stream) => {
      stream.respond({ ':status': 302, location: METADATA })
      stream.end()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    await withTools(async (tools) => {
      const outcome = await call(tools, 'grpc', `127.0.0.1:${(server.address() as AddressInfo).port}`)
      expect(outcome.ok).toBe(false)
    })
    await new Promise<void>((resolve) => server.close(() => resolve()))
  })
})

/** A real server of the protocol, that can be started again at its port. */
async function startHealthy(
  protocol: Protocol,
  port = 0,
): Promise<{ port: number; close: () => Promise<void> }> {
  if (protocol === 'grpc') return startGrpcServer({ port })
  if (protocol === 'mcp') return startMcpServer('both', port)
  return startHttpServer((_request, response) => sendJson(response, { ok: true }), port)
}

describe('a name that changes its address', () => {
  it.each(PROTOCOLS)(
    '%s: is looked up for every connection, and refused when it turns to metadata',
    async (protocol) => {
      const server = await startHealthy(protocol)
      let address = '127.0.0.1'
      const resolver = async () => [{ address, family: 4 as const }]
      const settings = { allowedHosts: [`rebind.test:${server.port}`] }
      await withTools(
        async (tools) => {
          expect(await call(tools, protocol, `rebind.test:${server.port}`)).toMatchObject({
            ok: true,
          })
        },
        settings,
        { resolver },
      )
      address = '169.254.169.254'
      await withTools(
        async (tools) => {
          expect(await call(tools, protocol, `rebind.test:${server.port}`)).toMatchObject({
            ok: false,
            code: 'address_refused',
          })
        },
        settings,
        { resolver },
      )
      await server.close()
    },
  )

  it.each(PROTOCOLS)('%s: a wildcard lets no name lead to this machine', async (protocol) => {
    const server = await startHealthy(protocol)
    const resolver = async () => [{ address: '127.0.0.1', family: 4 as const }]
    const settings = { allowedHosts: ['*.evil.test:*'] }
    await withTools(
      async (tools) => {
        expect(await call(tools, protocol, `www.evil.test:${server.port}`)).toMatchObject({
          code: 'address_refused',
        })
      },
      settings,
      { resolver },
    )
    await server.close()
  })

  it.each([
    ['restful', 'http://169.254.169.254/'],
    ['restful', 'http://2852039166/'],
    ['restful', 'http://0xa9.0xfe.0xa9.0xfe/'],
    ['restful', 'http://0251.0376.0251.0376/'],
    ['restful', 'http://[::ffff:169.254.169.254]/'],
    ['restful', 'http://[fd00:ec2::254]/'],
    ['restful', 'http://0.0.0.0/'],
    ['restful', 'http://[fe80::1]/'],
    ['grpc', '2852039166:80'],
    ['grpc', 'grpc://[::ffff:a9fe:a9fe]:80'],
    ['mcp', 'http://169.254.169.254/mcp'],
    ['mcp', 'http://[::ffff:169.254.169.254]/mcp'],
  ] as const)('%s: never %s', async (protocol, url) => {
    await withTools(
      async (tools) => {
        const connection = { ...connectionTo(protocol, 'x'), url } as ToolDefinition['connection']
        const tool = toolEntry('fault.metadata', {
          connection,
          parameters: { type: 'object' },
          timeoutMs: PATIENCE_MS,
        })
        expect(await callWith(tools.caller, tool, [{}], patiently())).toMatchObject({
          code: 'address_refused',
        })
      },
      { allowedHosts: ['*'] },
    )
  })
})

describe('a restart between calls', () => {
  it.each(PROTOCOLS)('%s: the next call succeeds', async (protocol) => {
    const first = await startHealthy(protocol)
    await withTools(async (tools) => {
      const host = `127.0.0.1:${first.port}`
      expect(await call(tools, protocol, host)).toMatchObject({ ok: true })
      await first.close()
      expect(await call(tools, protocol, host)).toMatchObject({ ok: false })
      const second = await startHealthy(protocol, first.port)
      expect(await call(tools, protocol, host)).toMatchObject({ ok: true })
      await second.close()
    })
  })

  it.each(PROTOCOLS)('%s: also when nothing was called meanwhile', async (protocol) => {
    const first = await startHealthy(protocol)
    await withTools(async (tools) => {
      const host = `127.0.0.1:${first.port}`
      expect(await call(tools, protocol, host)).toMatchObject({ ok: true })
      await first.close()
      const second = await startHealthy(protocol, first.port)
      await new Promise((resolve) => setTimeout(resolve, 50))
      expect(await call(tools, protocol, host)).toMatchObject({ ok: true })
      await second.close()
    })
  })
})
