import { afterAll, describe, expect, it } from 'vitest'
import type { Signals } from '../../../src/cli/signals.js'
import { createCatalogDirectory } from '../../support/catalog-directory.js'
import { runLocalTurn, startCli } from '../../support/run-cli.js'
import { waitUntil } from '../../support/wait-until.js'

const catalog = createCatalogDirectory({
  'templates/a/one.yaml': 'userPrompt: one\n',
  'templates/a/torn.yaml': 'userPrompt: "{{if"\n',
})
afterAll(() => catalog.dispose())

/** Serves in this process until `end`, with its log silent. */
function serve(args: readonly string[], environment: Record<string, string> = {}) {
  const ending = new AbortController()
  const signals: Signals = {
    end: ending.signal,
    ask: () => {},
    onHangup: () => {},
    release: () => {},
    finish: () => {},
  }
  const quiet = { LOG_LEVEL: 'silent', WARM_UP: 'false', ...environment }
  const running = startCli(args, quiet, { signals })
  return {
    ...running,
    async stop() {
      ending.abort('SIGTERM')
      return running.code
    },
  }
}

describe('serve', () => {
  it('serves a folder given as its only word, and shows page, API, catalog and model', async () => {
    const service = serve([catalog.path, '--port', '0'], { LOG_FORMAT: 'text' })
    await waitUntil(() => service.stdout().includes('Model'), 'the banner')
    const [, url = ''] = /Page +(http:\/\/127\.0\.0\.1:\d+)\n/.exec(service.stdout()) ?? []
    expect(service.stdout()).toContain(`API      ${url}/docs\n`)
    expect(service.stdout()).toContain(`Catalog  ${catalog.path}: 1 prompt; 1 error\n`)
    expect(service.stdout()).toContain('Model    echo: offline, ')
    const rendered = await fetch(`${url}/api/render/prompts/a.one`, { method: 'POST' })
    expect(await rendered.json()).toMatchObject({ rendered_prompt: 'one' })
    expect(await service.stop()).toBe(0)
  })

  it('says how to serve a folder where it serves the examples of the package', async () => {
    const service = serve(['--port', '0'], { LOG_FORMAT: 'text' })
    await waitUntil(() => service.stdout().includes('Model'), 'the banner')
    expect(service.stdout()).toMatch(
      /Catalog {2}.*examples\/catalog: .*; ai-prompt-shell <folder> serves yours\n/,
    )
    expect(await service.stop()).toBe(0)
  })

  it('shows nothing but the log where no person reads it', async () => {
    const service = serve(['serve', '--catalog', catalog.path, '--port', '0', '--host', 'localhost'])
    expect(await service.stop()).toBe(0)
    expect(service.stdout()).toBe('')
  })

  it('prefers options to the environment', async () => {
    const { code, stderr } = await runLocalTurn(
      ['serve', '--host', '203.0.113.9', '--catalog', catalog.path],
      {
        HOST: '127.0.0.1',
      },
    )
    expect([code, stderr]).toEqual([78, expect.stringContaining('203.0.113.9')])
  })
})
