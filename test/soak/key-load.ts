import { type Exchange, exchange, send } from './exchange.js'
import { SAYS, type World } from './world.js'

/** What a key that may only render one prompt, and those without one, get. */
const ROWS: readonly {
  readonly key: (world: World) => string
  readonly method: string
  readonly path: string
  readonly status: number
}[] = [
  { key: ({ keys }) => keys.narrow, method: 'POST', path: '/api/render/prompts/soak.plain', status: 200 },
  { key: ({ keys }) => keys.narrow, method: 'POST', path: '/api/render/prompts/soak.tool', status: 404 },
  { key: ({ keys }) => keys.narrow, method: 'POST', path: '/api/chat/prompts/soak.plain', status: 403 },
  { key: () => 'nobody-knows-this-one', method: 'POST', path: '/api/render/prompts/soak.plain', status: 401 },
  { key: () => '', method: 'GET', path: '/api/prompts', status: 401 },
]

/** One row after the other. */
export async function useKeys(world: World, count: number): Promise<Exchange> {
  const row = ROWS[count % ROWS.length] as (typeof ROWS)[number]
  const name = `n${count}`
  const body = row.method === 'POST' ? { model: 'm', variables: { name } } : undefined
  const sent = row.path.includes('/render/') ? { variables: { name } } : body
  const answer = await send(world, row.method, row.path, sent, row.key(world))
  const isRight = answer.status === row.status
  const says = row.status !== 200 || JSON.stringify(answer.body).includes(SAYS.plain(name))
  return exchange(answer.status, isRight && says, answer.body)
}
