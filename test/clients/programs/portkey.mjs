// The client of Portkey: its prompts are answered and rendered here.
import assert from 'node:assert/strict'
import { Portkey } from 'portkey-ai'

const client = new Portkey({ baseURL: `${process.env.SERVICE_URL}/v1`, apiKey: 'any' })
// The client takes the id out of what it is given.
const asked = () => ({ promptID: 't.plain@production', variables: { name: 'Ada', place: 'Paris' } })

const answer = await client.prompts.completions.create(asked())
assert.equal(answer.choices[0].message.content, 'You said: Hello Ada, welcome to Paris.')

let streamed = ''
for await (const chunk of await client.prompts.completions.create({ ...asked(), stream: true }))
  streamed += chunk.choices[0]?.delta?.content ?? ''
assert.equal(streamed, 'You said: Hello Ada, welcome to Paris.')

const rendered = await client.prompts.render({ ...asked(), max_tokens: 9 })
assert.equal(rendered.success, true)
assert.deepEqual(rendered.data.messages, [{ role: 'user', content: 'Hello Ada, welcome to Paris.' }])
assert.deepEqual([rendered.data.model, rendered.data.max_tokens], ['scripted', 9])

await assert.rejects(client.prompts.completions.create({ ...asked(), promptID: 't.none' }), /t\.none/)
