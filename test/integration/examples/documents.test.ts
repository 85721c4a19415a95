import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BUNDLED_CATALOG } from '../../../src/open-shell.js'
import { type ChatService, startChatService } from '../../support/chat-service.js'
import { DOCUMENTS } from '../../support/document-blocks.js'

const run = promisify(execFile)
const root = resolve(import.meta.dirname, '../../..')
/** The commands of the tour, of the guide to versions and of the README have a test of their own. */
const pages = DOCUMENTS.filter(
  (name) => name.startsWith('docs/') && !['docs/start/tour.md', 'docs/guides/versions.md'].includes(name),
)

interface Command {
  readonly page: string
  readonly command: string
  /** The status that the sentence before it announces; undefined for one that it went well. */
  readonly status: string | undefined
  readonly above: string
}

/** Every `curl` of a page's shell blocks, over as many lines as its quotes and line ends ask for. */
function curls(page: string): Command[] {
  const text = readFileSync(join(root, page), 'utf8')
  return [...text.matchAll(/(.*)\n\n```(?:bash|sh)?\n([\s\S]*?)```/g)].flatMap(
    ([, before = '', block = '']) => {
      const status = /[(（](\d{3}) /.exec(before)?.[1]
      return [...block.matchAll(/^curl (?:'[^']*'|\\\n|[^'\n])*$/gm)].map(({ 0: command, index }) => ({
        page,
        command,
        status,
        // What it reads stands above it.
        above: /\$\w/.test(command) ? block.slice(0, index) : '',
      }))
    },
  )
}

const commands = pages.flatMap(curls).filter(({ command }) => command.includes('localhost:8080'))
let service: ChatService
beforeAll(async () => {
  service = await startChatService({ environment: { CATALOG_DIR: BUNDLED_CATALOG } })
  await service.app.registry.whenReady()
})
afterAll(() => service.close())

describe('the documents', () => {
  it('have commands to try', () => {
    expect(new Set(commands.map(({ page }) => page)).size).toBeGreaterThan(3)
  })

  it.each(commands)('$page: $command', async ({ command, status, above }) => {
    const counted = command
      .replace(/ >\/dev\/null$/, '')
      .replace('curl ', "curl --max-time 10 --write-out '\\n%{http_code}' ")
    const here = (above + counted).replaceAll('localhost:8080', new URL(service.url).host)
    const { stdout } = await run('bash', ['-c', here])
    expect([stdout.split('\n').at(-1), stdout]).toEqual([
      status ?? expect.stringMatching(/^20[01]$/),
      expect.anything(),
    ])
  })
})
