import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { release, version } from '../../support/lives.js'
import { startTestApp, type TestApp } from '../../support/test-app.js'

const CLIENT = resolve(import.meta.dirname, '../../../clients/python')

/** What a program does with the client; prints JSON. */
const PROGRAM = `
import json, sys
from ai_prompt_shell import Client, ClientError
url = sys.argv[1]
client = Client(url, key="a-secret-key", remember=1)
seen = {}
rendered = client.render("a.greeting", {"name": "Ada"})
seen["text"] = [rendered.text, rendered.messages, rendered.source, rendered.revision is not None]
seen["roles"] = [message["role"] for message in client.render("a.talk").messages]
seen["inline"] = client.render_inline({"prompt": {"userPrompt": "To {{.variables.x}}"}, "variables": {"x": "y"}}).text
seen["chat"] = client.chat("a.greeting", {"variables": {"name": "Ada"}})["choices"][0]["message"]["content"]
seen["prompts"] = [item["id"] for item in client.prompts(q="talk")["items"]]
try:
    client.render("a.greeting", {}, fallback="Hello")
except ClientError as error:
    seen["mistake"] = [error.code, error.status, error.request_id is not None, len(error.details)]
unknown = client.render("a.nobody", fallback="Hello")
seen["unknown"] = [unknown.text, unknown.source, unknown.error.code]
chosen = client.render("a.lived", version=1)
seen["chosen"] = [chosen.text, chosen.version, client.render("a.lived", label="production").text]
seen["versions"] = [client.versions("a.lived")["versions"][0]["labels"], client.labels("a.lived")["labels"][0]["label"]]
seen["stream"] = "".join(chunk["choices"][0]["delta"].get("content", "") for chunk in client.stream_chat("a.greeting", {"variables": {"name": "Ada"}}) if chunk["choices"])
seen["judged"] = client.feedback({"prompt": "a.lived", "version": 1, "name": "helpful", "score": 1})["score"]
news = client.events(kind="prompt")
hello = next(news)
seen["news"] = [hello.event, hello.data["sequence"] > 0]
news.close()
client.render("a.greeting", {"name": "Grace"})
client._connection.url = "http://127.0.0.1:1"
away = client.render("a.greeting", {"name": "Grace"}, fallback="Hello")
seen["away"] = [away.text, away.source, away.error.code]
forgotten = client.render("a.greeting", {"name": "Ada"}, fallback="Hello")
seen["forgotten"] = [forgotten.text, forgotten.source]
print(json.dumps(seen))
`

const one = version('a.lived', 1, { userPrompt: 'one' })

let app: TestApp
let url: string
beforeAll(async () => {
  app = await startTestApp(
    {
      'templates/a/greeting.json': {
        userPrompt: 'Hello {{.variables.name}}',
        parameters: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
      },
      'templates/a/lived.json': { userPrompt: 'draft' },
      'templates/a/lived@1.json': one.document,
      'releases/a/lived/production.json': release(one),
      'templates/a/talk.json': {
        messages: [
          { role: 'system', content: 'Be kind' },
          { role: 'user', content: 'Hi' },
        ],
      },
    },
    { API_KEYS: 'a-secret-key' },
  )
  url = await app.app.server.listen({ port: 0, host: '127.0.0.1' })
})
afterAll(() => app.close())

it('the client in Python renders, chats, lists, and stands in for a service that is away', async () => {
  const environment = { PATH: process.env['PATH'], PYTHONPATH: CLIENT, PYTHONDONTWRITEBYTECODE: '1' }
  const { stdout } = await promisify(execFile)('python3', ['-c', PROGRAM, url], { env: environment })
  expect(JSON.parse(stdout)).toEqual({
    text: ['Hello Ada', [{ role: 'user', content: 'Hello Ada' }], 'service', true],
    roles: ['system', 'user'],
    inline: 'To y',
    chat: 'Hello Ada',
    prompts: ['a.talk'],
    mistake: ['missing_variables', 400, true, 1],
    chosen: ['one', 1, 'one'],
    versions: [['production'], 'production'],
    stream: 'Hello Ada',
    judged: 1,
    news: ['hello', true],
    unknown: ['Hello', 'fallback', 'prompt_not_found'],
    away: ['Hello Grace', 'last-good', 'unreachable'],
    forgotten: ['Hello', 'fallback'],
  })
})
