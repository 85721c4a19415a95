// A demo model: OpenAI's chat completions without a network, for the agents of examples/catalog. Asked about a function
// of the demo's project it calls the tools that know it, in fields or as text, and says what they answered. It also
// plans, judges and reflects on tasks.
//
//   npm run tool-server & npm run demo-model &
//   TOOL_BASE_URL=http://127.0.0.1:9000 LLM_BASE_URL=http://127.0.0.1:9001/v1 LLM_MODEL=demo npm start
import { createServer } from 'node:http'
import { answerPhase, answerStep } from './planner.mjs'
import { REFERENCES } from './project.mjs'

const { HOST = '127.0.0.1', PORT = '9001' } = process.env
const USAGE = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 }
/** What a call of each tool is about. */
const ARGUMENTS = {
  codebase_caller: (name) => ({ function: name }),
  codebase_lookup_ref: (name) => ({ symbol: name }),
}

const server = createServer(async (request, response) => {
  let text = ''
  for await (const piece of request.setEncoding('utf8')) text += piece
  const { stream = false, ...question } = JSON.parse(text || '{}')
  const message = answerTo(question)
  const isCalling = message.tool_calls !== undefined
  const finish_reason = isCalling ? 'tool_calls' : 'stop'
  const head = { id: 'chatcmpl-demo', created: Math.floor(Date.now() / 1000), model: 'demo' }
  if (!stream) {
    const choices = [{ index: 0, message, finish_reason }]
    response.setHeader('content-type', 'application/json')
    return response.end(JSON.stringify({ ...head, object: 'chat.completion', choices, usage: USAGE }))
  }
  response.setHeader('content-type', 'text/event-stream')
  const send = (delta, reason = null) => {
    const choices = [{ index: 0, delta, finish_reason: reason }]
    response.write(
      `data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', choices, usage: USAGE })}\n\n`,
    )
  }
  for (const word of message.content?.split(/(?<= )/) ?? []) send({ content: word })
  if (isCalling) send({ tool_calls: message.tool_calls.map((call, index) => ({ index, ...call })) })
  send({}, finish_reason)
  response.end('data: [DONE]\n\n')
})

function answerTo({ messages = [], tools = [] }) {
  const phase = answerPhase(messages)
  if (phase !== undefined) return say(JSON.stringify(phase))
  const last = messages.at(-1) ?? { role: 'user', content: '' }
  if (last.role === 'tool') return say(resultsIn(messages).join('\n'))
  const step = answerStep(textOf(last))
  if (step !== undefined) return say(step)
  const name = Object.keys(REFERENCES).find((each) => textOf(last).includes(each))
  if (name === undefined)
    return say(`I know nothing about that; ask about ${Object.keys(REFERENCES).join(', ')}.`)
  const known = tools.map((tool) => tool.function.name).filter((tool) => Object.hasOwn(ARGUMENTS, tool))
  if (known.length > 0)
    return { role: 'assistant', content: null, tool_calls: known.map((tool) => callOf(tool, name)) }
  const isTold = messages.some(({ role, content }) => role === 'system' && content.includes('<use_mcp_tool>'))
  const before = messages.at(-2)
  const isResult = before?.role === 'assistant' && textOf(before).includes('<use_mcp_tool>')
  return say(isTold && !isResult ? writtenCall(name) : `Found: ${withoutFrame(textOf(last))}`)
}

function callOf(tool, name) {
  const args = JSON.stringify(ARGUMENTS[tool](name))
  return { id: `call_${tool}_${name}`, type: 'function', function: { name: tool, arguments: args } }
}

function writtenCall(name) {
  return `<use_mcp_tool>
<server_name>codebase</server_name>
<tool_name>lookup_ref</tool_name>
<arguments>${JSON.stringify({ symbol: name })}</arguments>
</use_mcp_tool>`
}

/** What the tools of the newest question said, each with its name. */
function resultsIn(messages) {
  const asking = messages.findLast(({ tool_calls }) => tool_calls !== undefined)
  const names = new Map(asking.tool_calls.map((call) => [call.id, call.function.name]))
  const results = messages.slice(messages.indexOf(asking) + 1)
  return results.map(({ tool_call_id: id, content }) => `${names.get(id)}: ${content}`)
}

function say(content) {
  return { role: 'assistant', content }
}

/** A result as text, without the tags that the service frames it in. */
function withoutFrame(text) {
  return text.replace(/<\/?tool_response[^>]*>/g, '').trim()
}

function textOf({ content }) {
  return typeof content === 'string' ? content : JSON.stringify(content)
}

server.listen(Number(PORT), HOST, () => {
  console.log(`demo model on http://${HOST}:${server.address().port}/v1`)
})
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => server.close().closeAllConnections())
