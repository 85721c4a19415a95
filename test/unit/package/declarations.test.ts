import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const dist = resolve(import.meta.dirname, '../../../dist')
const read = (file: string) => readFileSync(join(dist, file), 'utf8')
const declared = readdirSync(dist, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.d.ts') && !file.startsWith('.'))
  .map((file) => file.replaceAll('\\', '/'))
/** What each file declares, without what it only hands on. */
const names = (file: string) =>
  [
    ...read(file).matchAll(
      /^export (?:declare )?(?:abstract )?(?:interface|type|class|const|function) (\w+)/gm,
    ),
  ].map(([, name = '']) => name)

describe('the declarations of the package', () => {
  it('are a file for each entry, and some for what entries share', () => {
    const entries = declared.filter((file) => !file.startsWith('declarations/'))
    expect(entries.sort()).toEqual([
      'agent.d.ts',
      'client.d.ts',
      'index.d.ts',
      'prompt-library/index.d.ts',
      'template/index.d.ts',
      'testing.d.ts',
    ])
    expect(declared.length).toBeLessThan(25)
  })

  it('declare what is named once, and of what nobody can name nothing', () => {
    const shared = declared.filter((file) => file.startsWith('declarations/'))
    const all = shared.flatMap(names)
    expect(all).toEqual(expect.arrayContaining(['Shell', 'StateStore', 'LeaseObserver', 'CompileOptions']))
    expect(all).not.toContain('openShell')
    expect(names('declarations/client.d.ts')).toContain('TurnEvent')
    const main = shared.map(read).join('\n')
    expect(main).toContain('/** Everything below HTTP')
    // Programs may bring a store of their own: they read what it has to do.
    expect(main).toContain('/** Makes a record.')
  })

  it('say what programs write, also where it is the base of what they import, or has another name there', () => {
    const all = declared.map(read).join('\n')
    for (const comment of [
      '/** Answers anything that JSON can say, or throws. */',
      '/** Calling it changes nothing, so a repetition does no harm. Default false. */',
      '/** Equal for every repetition of one call, so that a tool can distinguish a retry from a second order. */',
      '/** Milliseconds of one tool call. */',
    ])
      expect(all).toContain(comment)
  })

  it('say no more than their types of what is reached, and handed on by no entry', () => {
    const text = declared.map(read).find((each) => each.includes('interface LeaseObserver')) ?? ''
    const [, before = '', body = ''] = /([^}]*)export interface LeaseObserver \{([^}]*)\}/.exec(text) ?? []
    expect(body).toContain('lost')
    expect(`${before}${body}`).not.toContain('/*')
  })

  it('of a client and of the template engine need no other file', () => {
    expect(read('client.d.ts')).not.toMatch(/from '\.\/declarations\/(?!client\.js)/)
    expect(read('declarations/client.d.ts')).not.toContain("from './")
    expect(read('template/index.d.ts')).not.toMatch(/declarations\/(?:agent|main\.js|client)/)
  })
})
