import { describe, expect, it } from 'vitest'
import { BUNDLED_IDS } from '../support/bundled-ids.js'
import { attack, startAttackedService } from './support/attack.js'
import { describeRows } from './support/describe-rows.js'
import { REFUSED_SCHEMAS } from './tables/refused-schemas.js'
import { SCHEMAS } from './tables/schemas.js'

describeRows('schemas of requests', SCHEMAS)

describe('documents with schemas that are refused', () => {
  it('are diagnosed and not served', async () => {
    const documents = Object.fromEntries(
      REFUSED_SCHEMAS.map(({ schema }, index) => [
        `templates/bad/p${index}.json`,
        { userPrompt: 'x', parameters: schema },
      ]),
    )
    const service = await startAttackedService({ ...documents, 'templates/good/p.json': { userPrompt: 'x' } })
    const { body } = await attack({ service, method: 'GET', path: '/api/prompts?limit=10000' })
    expect(body.items.map(({ id }: { id: string }) => id)).toEqual(['good.p', ...BUNDLED_IDS])
    expect(await service.stop()).toBe(0)
  })
})
