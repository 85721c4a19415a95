import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { App } from '../../../src/app.js'
import { buildTestApp } from '../../support/build-test-app.js'
import { type CatalogDirectory, createCatalogDirectory } from '../../support/catalog-directory.js'
import { runLocalTurn as cli } from '../../support/run-cli.js'

const SAME = {
  'templates/a/same.json': {
    userPrompt: 'x {{.variables.n}}',
    parameters: [{ name: 'n', type: 'number', default: 1.5 }],
  },
  'agents/helper.json': { name: 'helper', instructions: 'Help.', model: 'm' },
  'tools/code/refs.json': { url: 'http://127.0.0.1:9/refs' },
}

let catalogs: CatalogDirectory[]
let app: App
let url: string
beforeAll(async () => {
  const served = createCatalogDirectory({
    ...SAME,
    'templates/a/changed.json': { userPrompt: 'before' },
    'templates/a/gone.json': { userPrompt: 'x' },
    'environs/team.yaml': 'one',
  })
  const ours = createCatalogDirectory({
    'templates/a/changed.json': { userPrompt: 'after' },
    'templates/a/new.json': { userPrompt: 'x' },
    'environs/team.yaml': 'two',
  })
  // The same document, written otherwise.
  for (const [path, document] of Object.entries(SAME))
    ours.write(path, `${JSON.stringify(document, null, 4)}\n`)
  catalogs = [served, ours]
  app = await buildTestApp({ CATALOG_DIR: served.path, API_KEYS: 'drift-key-0123456789' })
  await app.server.listen({ host: '127.0.0.1', port: 0 })
  url = `http://127.0.0.1:${(app.server.server.address() as AddressInfo).port}`
})
afterAll(async () => {
  await app.close()
  for (const each of catalogs) each.dispose()
})

describe('drift', () => {
  const drift = (catalog: string | undefined, ...more: string[]) =>
    cli(['drift', ...(catalog === undefined ? [] : ['--catalog', catalog]), ...more])
  const key = ['--key', 'drift-key-0123456789']

  it('lists what a service has otherwise than the catalog, however it is written', async () => {
    expect(await drift(catalogs[1]?.path, '--url', url, ...key)).toEqual({
      code: 1,
      stderr: '',
      stdout: `prompt a.changed: differs
prompt a.gone: only in the service
prompt a.new: only in the catalog
environ team: differs
4 documents differ
`,
    })
    const json = JSON.parse((await drift(catalogs[1]?.path, '--url', url, ...key, '--json')).stdout)
    expect(json.drift[0]).toEqual({ kind: 'prompt', id: 'a.changed', change: 'differs' })
    expect(await drift(catalogs[0]?.path, '--url', url, ...key)).toMatchObject({
      code: 0,
      stdout: '0 documents differ\n',
    })
  })

  it('needs a service that answers', async () => {
    expect(await drift(catalogs[0]?.path)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--url <server>'),
    })
    expect(await drift(catalogs[0]?.path, '--url', url)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('invalid_api_key'),
    })
  })
})
