import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '../../src')

/** Lowest first. A file imports its own floor or lower. */
const FLOORS: readonly (readonly string[])[] = [
  ['errors.ts', 'schema', 'util'],
  ['template', 'conversation'],
  ['transport', 'store', 'state'],
  ['registry'],
  ['tools', 'llm'],
  ['prompts', 'protocols'],
  ['agents'],
  ['tasks'],
  ['http'],
  [
    'config.ts',
    'unknown-names.ts',
    'app.ts',
    'openapi-document.ts',
    'readme-tables.ts',
    'index.ts',
    'testing.ts',
    'testing',
  ],
  ['main.ts', 'cli'],
]
const SIBLINGS = new Set(['tools', 'llm'])

const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
const room = (file: string) => file.split('/')[0] as string
const floor = (file: string) => FLOORS.findIndex((rooms) => rooms.includes(room(file)))

function importsOf(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8')
  const specifiers = [...text.matchAll(/(?:from|import)\s*\(?\s*['"](\.[^'"]+)['"]/g)].map(
    (match) => match[1] as string,
  )
  return specifiers.map((specifier) =>
    relative(root, resolve(root, dirname(file), specifier)).replace(/\.js$/, '.ts'),
  )
}

describe('architecture', () => {
  it('knows the floor of every file', () => {
    expect(files.filter((file) => floor(file) === -1)).toEqual([])
  })

  it('imports only its own floor or lower, and no sibling', () => {
    const violations = files.flatMap((file) =>
      importsOf(file)
        .filter((target) => {
          const sideways =
            room(target) !== room(file) && SIBLINGS.has(room(file)) && SIBLINGS.has(room(target))
          return floor(target) > floor(file) || sideways
        })
        .map((target) => `${file} imports ${target}`),
    )
    expect(violations).toEqual([])
  })

  it('touches the process only in main and cli, and the environment only in config', () => {
    const touching = files.filter((file) =>
      /\bprocess\.(?!hrtime|memoryUsage|nextTick)|from 'node:process'/.test(
        readFileSync(join(root, file), 'utf8'),
      ),
    )
    expect(touching.filter((file) => !/^(main\.ts|cli\/|config\.ts)/.test(file))).toEqual([])
  })

  // It generates code from a schema, at once and without bounds: schemas of other people must never reach it.
  it('uses the code-generating validator in one place only', () => {
    const using = files.filter((file) =>
      /\bnew Ajv|from 'ajv\/dist/.test(readFileSync(join(root, file), 'utf8')),
    )
    expect(using).toEqual(['schema/ajv.ts'])
  })
})
