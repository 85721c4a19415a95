import { startHttpServer, type TestServer } from '../../integration/tools/http-server.js'
import type { ToolRow } from '../tables/tools.js'
import { type AttackedService, type AttackResult, attack, startAttackedService } from './attack.js'

/** The built service with one tool, whose answers are those of a row. */
export interface AttackedByTool {
  readonly service: AttackedService
  /** Calls the tool well, for one that always fails would soon not be called any more; or makes it one of those. */
  prepare(row: ToolRow): Promise<void>
  /** Calls the tool once. */
  call(row: ToolRow): Promise<AttackResult>
  /** The exit code. */
  stop(): Promise<number | null>
}

const GOOD: ToolRow = { name: 'good', body: () => '{}' }
const GONE: ToolRow = { ...GOOD, tool: 'gone' }
/** Failures in a row after which a tool is not called for a while, and some. */
const MOST_FAILURES = 20

/** Starts both. */
export async function startAttackedByTool(): Promise<AttackedByTool> {
  let answer = GOOD
  const server: TestServer = await startHttpServer((_request, response) => {
    const { encoding = 'identity', status = 200, body } = answer
    response.on('error', () => {})
    response.setHeader('content-encoding', typeof encoding === 'string' ? encoding : [...encoding])
    response.writeHead(status, { 'content-type': 'application/json' }).end(body())
  })
  const tool = { name: 'run', module: 't', type: 'restful', url: server.url, parameters: {} }
  const service = await startAttackedService(
    {
      'tools/t/run.json': tool,
      'tools/t/asked.json': { ...tool, name: 'asked', restful: { method: 'GET' } },
      'tools/t/kept.json': { ...tool, name: 'kept', readOnly: true, cacheTtlMs: 1 },
      'tools/t/gone.json': { ...tool, name: 'gone', url: 'http://127.0.0.1:9/' },
    },
    { TOOL_ALLOWED_HOSTS: '127.0.0.1:*', LOG_LEVEL: 'fatal' },
  )
  const send = (row: ToolRow) => {
    answer = row
    const path = `/api/tools/t.${row.tool ?? 'run'}/call`
    return attack({ service, path, body: { arguments: row.arguments?.() ?? {} } })
  }
  return {
    service,
    async prepare(row) {
      if (row.tool === 'gone') await untilRefused(() => send(GONE))
      else await send(GOOD)
    },
    call: send,
    async stop() {
      const code = await service.stop()
      await server.close()
      return code
    },
  }
}

/** Calls until the circuit breaker answers. */
async function untilRefused(call: () => Promise<AttackResult>): Promise<void> {
  for (let count = 0; count < MOST_FAILURES; count += 1) {
    const { body } = await call()
    if (body.error?.code === 'circuit_open') return
  }
  throw new Error(`a tool that failed ${MOST_FAILURES} times is still called`)
}

/** What is wrong with the answer to a call; undefined for nothing. */
export function mistakeOfCall({ failure }: ToolRow, { status, body }: AttackResult): string | undefined {
  const said = JSON.stringify(body)?.slice(0, 300)
  // What was asked is wrong, not the tool.
  const isMistaken = failure?.code === 'invalid_arguments'
  if (isMistaken) return status === 400 && failure.message.test(body.error.message) ? undefined : said
  if (status !== 200) return `status ${status}: ${said}`
  if (failure === undefined) return body.status === 'success' ? undefined : said
  return body.error?.code === failure.code && failure.message.test(body.error.message) ? undefined : said
}
