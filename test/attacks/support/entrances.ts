import { at } from '../../../src/util/at.js'
import { TEXT_PROTOCOLS } from '../../support/generated-calls.js'
import { openRawClient } from '../../support/raw-client.js'
import { ANSWER_SHAPES } from '../tables/answer-shapes.js'
import { BODIES } from '../tables/bodies.js'
import { COSTLY_CALLS } from '../tables/costly-calls.js'
import { DOORS } from '../tables/doors.js'
import { EXTENSIONS } from '../tables/extensions.js'
import type { HttpRow } from '../tables/http-row.js'
import { KEYS_FILES } from '../tables/keys-files.js'
import { MCP_DOCUMENTS, MCP_MESSAGES, type McpMessage } from '../tables/mcp-messages.js'
import { MODEL_TEXTS } from '../tables/model-texts.js'
import { NATIVE_CALLS } from '../tables/native-calls.js'
import { NUMBERS } from '../tables/numbers.js'
import { GRPC_PEERS, MCP_PEERS } from '../tables/peers.js'
import { PROMPT_TESTS } from '../tables/prompt-tests.js'
import { REDIS_VALUES } from '../tables/redis-values.js'
import { SCHEMAS } from '../tables/schemas.js'
import { HEADS, WITHOUT_A_REQUEST } from '../tables/sockets.js'
import { TEMPLATES } from '../tables/templates.js'
import { TOOLS } from '../tables/tools.js'
import { UI_BODIES } from '../tables/ui-bodies.js'
import { ACCOUNT, ECHOES, ENCODED, ESCAPED, KEY, LARGE } from '../tables/upstreams.js'
import { mistakeOfConversation, mistakeOfUi, startAttackedByAgent } from './agent-attack.js'
import { ANSWER_USES, mistakeOfUse, startAnswering } from './answer-uses.js'
import { type AttackedService, type AttackResult, startAttackedService } from './attack.js'
import {
  ANSWER_ENVIRONMENT,
  ANSWER_WAYS,
  answerDocuments,
  callGoodTools,
  startAnswers,
} from './costly-answers.js'
import { contextDocuments, contextRow, inlineRow, storedDocuments, storedRow } from './costly-requests.js'
import type { Entrance, EntranceRow } from './entrance.js'
import { startAttackedByExtension } from './extension-attack.js'
import { DOCUMENTS, ENVIRONMENT, mistakeOf, sendRow } from './http-attack.js'
import { mistakeOfKeys, startAttackedByKeys } from './keys-attack.js'
import { mistakeOfMcp, sendMcp, wordOf } from './mcp-attack.js'
import { mistakeOfPeer, startAttackedByPeer } from './peer-attack.js'
import { mistakeOfTests, startAttackedByTests } from './prompt-tests-attack.js'
import { mistakeOfDocument, startAttackedByRedis } from './redis-attack.js'
import { mistakeOfCall, startAttackedByTool } from './tool-attack.js'
import { mistakeOfAnswer, startAttackedByUpstream } from './upstream-attack.js'

/** Serves with one of them. */
const ONE_NET = 'test/attacks/support/one-net.mjs'

/** What was charged wrongly once, held by one of the two nets alone. */
export const NETS: readonly Entrance[] = [
  // What V8 cannot end in the midst, and the watchdog's own delay, come on top of the stop's limit.
  alone('stop', { longestMs: 150 }),
  alone('charges', {}),
]

function alone(net: 'stop' | 'charges', bounds: Pick<EntranceRow, 'longestMs'>): Entrance {
  return {
    name: `by the ${net} alone`,
    async open() {
      const documents = { ...storedDocuments(COSTLY_CALLS), ...MCP_DOCUMENTS }
      const service = await startAttackedService(documents, { ...ENVIRONMENT, ONE_NET: net }, ONE_NET)
      const rows = [
        ...COSTLY_CALLS.map(inlineRow).map((row) => sent(service, row)),
        ...COSTLY_CALLS.map(storedRow).map((row) => sent(service, { ...row, name: `stored: ${row.name}` })),
        // The first message has the packages of the server read, which stay.
        ...MCP_MESSAGES.map((message) => ({
          ...mcpRow(service, message),
          name: `MCP: ${message.name}`,
          leavesMuch: true,
        })),
      ]
      return { service, rows: rows.map((row) => ({ ...row, ...bounds })), close: () => service.stop() }
    },
  }
}

/** Every way in but the signals, which end the service. */
export const ENTRANCES: readonly Entrance[] = [
  http('bodies', BODIES),
  http('numbers', NUMBERS),
  http('doors', DOORS),
  http('schemas', SCHEMAS),
  http('templates', TEMPLATES),
  http('stored prompts', COSTLY_CALLS.map(storedRow), storedDocuments(COSTLY_CALLS)),
  http('shared context', COSTLY_CALLS.map(contextRow), contextDocuments(COSTLY_CALLS)),
  {
    name: 'answers of tools',
    async open() {
      const tool = await startAnswers(COSTLY_CALLS)
      const environment = { ...ANSWER_ENVIRONMENT, TOOL_ALLOWED_HOSTS: '127.0.0.1:*' }
      const prepare = () => callGoodTools(service)
      const service: AttackedService = await startAttackedService(
        answerDocuments(COSTLY_CALLS, tool.url),
        environment,
      )
      return {
        service,
        // All of them in every way are a thousand: each call comes in one way, and through MCP in the next one.
        rows: Object.entries(ANSWER_WAYS).flatMap(([way, bodyOf], place, { length }) => {
          const calls = COSTLY_CALLS.map((row, index) => ({ row, index }))
          const inline = calls.filter(({ index }) => index % length === place)
          const throughMcp = calls.filter(
            ({ row, index }) => row.isShort === true && (index + 1) % length === place,
          )
          return [
            ...inline.map(({ row, index }) => {
              const body = () => bodyOf(row, index)
              return { ...sent(service, { ...inlineRow(row), body }), name: `${way}: ${row.name}`, prepare }
            }),
            ...throughMcp.map(({ row, index }) => ({
              ...mcpRow(service, {
                name: row.name,
                method: 'prompts/get',
                params: () => ({ name: `answers.way${place}row${index}` }),
              }),
              name: `MCP, ${way}: ${row.name}`,
              prepare,
            })),
          ]
        }),
        async close() {
          const code = await service.stop()
          await tool.close()
          return code
        },
      }
    },
  },
  {
    name: 'answers that are passed on',
    async open() {
      const { answering, stop } = await startAnswering()
      const rows = Object.entries(ANSWER_USES).flatMap(([use, send]) =>
        ANSWER_SHAPES.map(({ name }, shape) => ({
          name: `${use}: ${name}`,
          async attack() {
            const answer = await send(answering, shape)
            demand(mistakeOfUse(answer))
            return String(answer.status)
          },
          // The sessions of chats are kept, as they should be.
          leavesMuch: true,
        })),
      )
      return { service: answering.service, rows, close: stop }
    },
  },
  {
    name: 'mcp',
    async open() {
      const service = await startAttackedService(MCP_DOCUMENTS, ENVIRONMENT)
      const rows = MCP_MESSAGES.map((message) => mcpRow(service, message))
      return { service, rows, close: () => service.stop() }
    },
  },
  {
    name: 'tools',
    async open() {
      const attacked = await startAttackedByTool()
      const rows = TOOLS.map((row) => ({
        name: row.name,
        prepare: () => attacked.prepare(row),
        isAboutBreaker: row.tool === 'gone',
        async attack() {
          const answer = await attacked.call(row)
          demand(mistakeOfCall(row, answer))
          return answer.body.error?.code ?? answer.body.status
        },
      }))
      return { service: attacked.service, rows, close: () => attacked.stop() }
    },
  },
  {
    name: 'peers',
    async open() {
      const attacked = await startAttackedByPeer()
      const asked = (name: string, ask: () => Promise<AttackResult>): EntranceRow => ({
        name,
        prepare: () => attacked.callGood(),
        async attack() {
          const answer = await ask()
          demand(mistakeOfPeer(answer))
          return answer.body.error?.code ?? answer.body.status
        },
      })
      const calls = MCP_PEERS.filter(({ to }) => to === 'tools/call')
      const rows = [
        ...calls.map((row) => asked(`MCP: ${row.name}`, () => attacked.askMcp(row))),
        ...GRPC_PEERS.map((row) => asked(`gRPC: ${row.name}`, () => attacked.askGrpc(row))),
      ]
      return { service: attacked.service, rows, close: () => attacked.stop() }
    },
  },
  {
    name: 'upstreams',
    async open() {
      const attacked = await startAttackedByUpstream(KEY, ACCOUNT)
      const asked = (
        name: string,
        row: Parameters<typeof attacked.ask>[0],
        mistake: (answer: Awaited<ReturnType<typeof attacked.ask>>) => string | undefined,
      ): EntranceRow => ({
        name,
        prepare: () => attacked.askGood(),
        async attack() {
          const answer = await attacked.ask(row)
          demand(mistake(answer))
          return String(answer.status)
        },
      })
      const rows = [
        ...LARGE.map((row) => asked(row.name, row, (answer) => mistakeOfAnswer(row, answer))),
        ...[false, true].flatMap((isStream) => [
          ...ECHOES.map(({ name, fault }) =>
            asked(`${name}${isStream ? ', streamed' : ''}`, { isStream, fault: () => fault }, secretsIn),
          ),
          ...ENCODED.map(({ name, encoding, body }) => {
            const fault = { headers: { 'content-encoding': encoding }, pieces: [body] }
            const wrong = ({ status }: { readonly status: number }) =>
              status === 502 ? undefined : `${status}`
            return asked(`${name}${isStream ? ', streamed' : ''}`, { isStream, fault: () => fault }, wrong)
          }),
        ]),
      ]
      return { service: attacked.service, rows, close: () => attacked.stop() }
    },
  },
  {
    name: 'Redis values',
    async open() {
      const attacked = await startAttackedByRedis()
      const rows = REDIS_VALUES.map((row) => ({
        name: row.name,
        prepare: () => attacked.mend(),
        async attack() {
          demand(mistakeOfDocument(row, await attacked.write(row)))
          return 'diagnosed'
        },
      }))
      return { service: attacked.service, rows, close: () => attacked.stop() }
    },
  },
  {
    name: 'extensions',
    async open() {
      const attacked = await startAttackedByExtension()
      const rows = EXTENSIONS.map((row) => ({
        name: row.name,
        prepare: () => attacked.remove(),
        leavesMuch: true,
        async attack() {
          await attacked.write(row)
          return 'read'
        },
      }))
      return { service: attacked.service, rows, close: () => attacked.stop() }
    },
  },
  {
    name: 'tests of prompts',
    async open() {
      const attacked = await startAttackedByTests()
      const rows = PROMPT_TESTS.map((row) => ({
        name: row.name,
        prepare: async () => attacked.write(row),
        async attack() {
          demand(mistakeOfTests(row, await attacked.ask()))
          return 'listed'
        },
      }))
      return { service: attacked.service, rows, close: () => attacked.stop() }
    },
  },
  {
    name: 'model texts',
    async open() {
      const attacked = await startAttackedByAgent()
      // Each row in one protocol; the tests have all rows in all of them.
      const rows = MODEL_TEXTS.map(({ name, text }, index) => {
        const protocol = at(TEXT_PROTOCOLS, index % TEXT_PROTOCOLS.length)
        return {
          name: `${protocol}: ${name}`,
          async attack() {
            const answer = await attacked.converse(protocol, text())
            demand(mistakeOfConversation(answer))
            return String(answer.status)
          },
          tidy: () => attacked.forgetSessions(),
        }
      })
      return { service: attacked.service, rows, close: () => attacked.stop() }
    },
  },
  {
    name: 'native calls',
    async open() {
      const attacked = await startAttackedByAgent()
      const rows = NATIVE_CALLS.map(({ name, calls }) => ({
        name,
        async attack() {
          const answer = await attacked.call(calls())
          demand(mistakeOfConversation(answer))
          return String(answer.status)
        },
        tidy: () => attacked.forgetSessions(),
      }))
      return { service: attacked.service, rows, close: () => attacked.stop() }
    },
  },
  {
    name: 'user interfaces',
    async open() {
      const attacked = await startAttackedByAgent()
      const asked = (row: HttpRow): EntranceRow => ({
        name: row.name,
        // A chat that has grown too long is refused at once.
        prepare: () => attacked.forgetSessions(),
        async attack() {
          const answer = await attacked.send(row)
          demand(mistakeOfUi(row, answer))
          return String(answer.status)
        },
        // What was said is kept, as it should be.
        tidy: () => attacked.forgetSessions(),
      })
      const said = UI_BODIES.filter(({ name }) => /^a (text|file) of/.test(name))
      const rows = [...UI_BODIES.map(asked), ...said.map((row) => eightTimes(asked(row)))]
      return { service: attacked.service, rows, close: () => attacked.stop() }
    },
  },
  {
    name: 'keys file',
    async open() {
      const attacked = await startAttackedByKeys()
      const rows = KEYS_FILES.map((row) => ({
        name: row.name,
        prepare: () => attacked.mend(),
        async attack() {
          demand(mistakeOfKeys(row, (await attacked.write(row)).problem))
          return 'refused'
        },
      }))
      return { service: attacked.service, rows, close: () => attacked.stop() }
    },
  },
  {
    name: 'sockets',
    async open() {
      const service = await startAttackedService(DOCUMENTS)
      const rows = [
        ...WITHOUT_A_REQUEST.map(({ name, bytes, before }) => ({
          name,
          async attack() {
            const clients = await Promise.all(
              Array.from({ length: 50 }, () => openRawClient(service.url, bytes)),
            )
            for (const client of clients) await client.sees(before)
            for (const { socket } of clients) socket.destroy()
            return '50 opened'
          },
        })),
        ...HEADS.map(({ name, bytes, expected }) => ({
          name,
          async attack() {
            const client = await openRawClient(service.url, bytes)
            await client.closed()
            demand(expected.test(client.received) ? undefined : client.received.slice(0, 300))
            return client.received.slice(9, 12)
          },
        })),
      ]
      return { service, rows, close: () => service.stop() }
    },
  },
]

/** In one chat, which grows. */
function eightTimes({ attack, name, ...row }: EntranceRow): EntranceRow {
  return {
    ...row,
    name: `eight times ${name}`,
    async attack() {
      for (let count = 0; count < 7; count += 1) await attack()
      return attack()
    },
  }
}

function http(
  name: string,
  table: readonly HttpRow[],
  documents: Readonly<Record<string, unknown>> = DOCUMENTS,
): Entrance {
  return {
    name,
    async open() {
      const service = await startAttackedService(documents, ENVIRONMENT)
      return { service, rows: table.map((row) => sent(service, row)), close: () => service.stop() }
    },
  }
}

function mcpRow(service: AttackedService, message: McpMessage): EntranceRow {
  return {
    name: message.name,
    async attack() {
      const answer = await sendMcp(service, message)
      demand(mistakeOfMcp(answer))
      return wordOf(answer)
    },
  }
}

function sent(service: AttackedService, row: HttpRow): EntranceRow {
  return {
    name: row.name,
    async attack() {
      const answer = await sendRow(service, row)
      demand(mistakeOf(row, answer))
      return String(answer.status)
    },
  }
}

function secretsIn({ body }: { readonly body: unknown }): string | undefined {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const isError = text.includes('"error"')
  const told = [KEY, ACCOUNT, ESCAPED].filter((secret) => text.includes(secret))
  return isError && told.length === 0 ? undefined : `tells ${told.join(' and ')}: ${text.slice(0, 300)}`
}

function demand(mistake: string | undefined): void {
  if (mistake !== undefined) throw new Error(mistake)
}
