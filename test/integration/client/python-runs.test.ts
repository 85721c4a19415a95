import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Replicas } from '../../support/replicas.js'
import { startRunsService } from './runs-service.js'

const CLIENT = resolve(import.meta.dirname, '../../../clients/python')

/** What a program does with the client over connections that break; prints JSON. */
const PROGRAM = `
import json, sys
import ai_prompt_shell
from ai_prompt_shell import Client, ClientError
urls = sys.argv[1:]
real = ai_prompt_shell.urlopen
attempts = []
way = {}

class Cut:
    """A stream that breaks after so many events."""
    def __init__(self, response, events):
        self.response, self.events = response, events
    def __enter__(self):
        return self
    def __exit__(self, *_):
        self.response.close()
    def __iter__(self):
        for line in self.response:
            if line.startswith(b"data:"):
                if self.events == 0:
                    raise ConnectionResetError("reset")
                self.events -= 1
            yield line

def passing(request, timeout):
    request.full_url = request.full_url.replace(urls[0], urls[len(attempts) % 2])
    attempts.append(request.get_method() + " " + request.selector)
    response = real(request, timeout=timeout)
    if way.pop("loses", False):
        response.read()
        raise ConnectionResetError("reset")
    if "cuts" in way and "event-stream" in response.headers["content-type"]:
        return Cut(response, way["cuts"])
    return response

ai_prompt_shell.urlopen = passing
client = Client(urls[0], timeout=10)
seen = {}
way["loses"] = True
session = client.sessions.create({"agent": "helper"})["id"]
seen["created"] = len(attempts)
way["loses"] = True
turn = client.sessions.turn(session, "Hi")
seen["turn"] = [turn["turn"], turn["status"], turn["message"]["content"], client.sessions.get(session)["turn"]]
seen["streams"] = []
for cuts in (1, 2, 3):
    way["cuts"] = cuts
    events = list(client.sessions.stream_turn(session, {"input": "Again"}))
    number = events[-1]["result"]["turn"]
    kept = list(client.sessions.follow_turn(session, number))
    seen["streams"].append([events == kept, number, "".join(event.get("text", "") for event in events)])
del way["cuts"]
seen["messages"] = len(client.sessions.messages(session)["items"])
booking = client.sessions.create({"agent": "booker"})["id"]
seen["paused"] = [event["type"] for event in client.sessions.stream_turn(booking, "Book it")][-1]
approval = client.approvals.list(session=booking)["items"][0]
seen["approval"] = [approval["tool"], client.approvals.decide(approval["id"], {"decision": "approve"})["status"]]
seen["ended"] = list(client.sessions.follow_turn(booking, 1))[-1]["type"]
way["loses"] = True
task = client.tasks.create({"description": "greet"})["id"]
way["cuts"] = 2
ended = list(client.tasks.follow(task))[-1]
del way["cuts"]
seen["task"] = [ended["type"], client.tasks.get(task)["status"], len(client.tasks.list()["items"])]
client.tasks.delete(task)
client.sessions.delete(session)
try:
    client.sessions.get(session)
except ClientError as error:
    seen["gone"] = [error.code, error.status]
print(json.dumps(seen))
`

let replicas: Replicas
beforeAll(async () => {
  replicas = await startRunsService(() => 'booked')
})
afterAll(() => replicas.close())

it('the client in Python takes turns, follows streams that break, decides and runs tasks', async () => {
  const environment = { PATH: process.env['PATH'], PYTHONPATH: CLIENT, PYTHONDONTWRITEBYTECODE: '1' }
  const urls = replicas.all.map(({ url }) => url)
  const { stdout } = await promisify(execFile)('python3', ['-c', PROGRAM, ...urls], { env: environment })
  expect(JSON.parse(stdout)).toEqual({
    created: 2,
    turn: [1, 'completed', 'one two three four', 1],
    streams: [2, 3, 4].map((number) => [true, number, 'one two three four']),
    messages: 8,
    paused: 'paused',
    approval: ['book', 'approved'],
    ended: 'turn.completed',
    task: ['task.completed', 'completed', 1],
    gone: ['session_not_found', 404],
  })
})
