import { readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it, vi } from 'vitest'
import { readMcpClient, readMcpServer } from '../../../../src/util/packages/read-mcp.js'

/** What reads messages inside of the SDK. */
interface Codec {
  validateNotification(method: string, raw: unknown): unknown
}

/** Its codecs: their module is none that the SDK offers. */
async function codecsOf(side: 'client' | 'server'): Promise<readonly Codec[]> {
  const directory = dirname(createRequire(import.meta.url).resolve(`@modelcontextprotocol/${side}`))
  const file = readdirSync(directory).find((name) => /^src-.*\.mjs$/.test(name)) ?? ''
  const module = await import(pathToFileURL(join(directory, file)).href)
  const codecOf = Object.values(module).find(
    (found): found is (version: string) => Codec =>
      typeof found === 'function' && found.name === 'codecForVersion',
  )
  return ['2025-11-25', '2026-07-28'].map((version) => {
    if (codecOf === undefined) throw new Error('the SDK builds its schemas in another way')
    return codecOf(version)
  })
}

describe('the schemas of the MCP SDK', () => {
  it.each([
    ['client', readMcpClient],
    ['server', readMcpServer],
  ] as const)('are built for each version in a turn of their own: %s', async (side, read) => {
    let turn = 0
    let isOver = false
    const count = () => {
      turn += 1
      if (!isOver) setImmediate(count)
    }
    const turns: number[] = []
    for (const codec of await codecsOf(side))
      vi.spyOn(codec, 'validateNotification').mockImplementation(() => turns.push(turn))
    count()
    await read()
    isOver = true
    expect(turns).toHaveLength(2)
    expect(new Set(turns).size).toBe(2)
  })
})
