import { describe, expect, it } from 'vitest'
import { PromptError } from '../../../src/prompt-library/prompt-error.js'
import { TemplateContext } from '../../../src/prompt-library/template-context.js'

describe('TemplateContext', () => {
  it('inserts values of every JSON kind and replaces earlier ones', () => {
    const context = new TemplateContext()
      .insert('name', 'Alice')
      .insert('flag', true)
      .insert('count', 3)
      .insert('big', 12345678901234567890n)
      .insert('none', null)
      .insert('list', ['a', ['b']])
      .insert('user', { name: 'Bob' })
      .insert('name', 'Carol')
    expect(context.get('name')).toBe('Carol')
    expect(context.get('flag')).toBe(true)
    expect(context.get('big')).toBe(12345678901234567890n)
    expect(context.get('none')).toBeNull()
    expect(context.get('list')).toEqual(['a', ['b']])
    expect(context.get('user')).toEqual({ name: 'Bob' })
    expect(context.get('missing')).toBeUndefined()
  })

  it('is made from JSON, a record or a map, nested', () => {
    const value = { a: { b: [1, { c: null }] }, d: false }
    expect(TemplateContext.fromJson(value).toJSON()).toEqual(value)
    expect(TemplateContext.fromMap(value).toJSON()).toEqual(value)
    const map = new Map<string, unknown>([['a', new Map([['b', 1]])]])
    expect(TemplateContext.fromMap(map).toJSON()).toEqual({ a: { b: 1 } })
  })

  it('copies values in', () => {
    const list = ['a']
    const context = new TemplateContext().insert('list', list)
    list.push('b')
    expect(context.get('list')).toEqual(['a'])
  })

  it('holds prototype names as plain data', () => {
    const context = TemplateContext.fromJson(JSON.parse('{"__proto__": {"x": 1}, "constructor": "c"}'))
    expect(context.get('__proto__')).toEqual({ x: 1 })
    expect(context.get('constructor')).toBe('c')
    expect(new TemplateContext().get('toString')).toBeUndefined()
    expect(({} as { x?: number }).x).toBeUndefined()
  })

  const cycle: unknown[] = []
  cycle.push(cycle)
  it.each([
    ['a list', [1], 'a context is made from an object'],
    ['null', null, 'a context is made from an object'],
    ['text', 'x', 'a context is made from an object'],
    ['a function', { a: { f: () => 1 } }, 'variable "a.f" is of type function'],
    ['undefined', { a: [undefined] }, 'variable "a.0" is of type undefined'],
    ['a symbol', { a: Symbol('s') }, 'variable "a" is of type symbol'],
    ['NaN', { a: Number.NaN }, 'variable "a" is NaN'],
    ['infinity', { a: -Infinity }, 'variable "a" is -Infinity'],
    ['an instance', { a: new Date(0) }, 'variable "a" is an instance of a class'],
    ['a cycle', { a: cycle }, 'is a cycle'],
  ])('refuses %s', (_name, value, message) => {
    const make = () => TemplateContext.fromJson(value)
    expect(make).toThrow(PromptError)
    expect(make).toThrow(message)
  })
})
