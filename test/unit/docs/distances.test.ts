import { readFileSync } from 'node:fs'
import { dirname, join, normalize, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { TaskEventShape } from '../../../src/schema/task-events.js'
import { TurnEventShape } from '../../../src/schema/turn-events.js'

const root = resolve(import.meta.dirname, '../../..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')

/** Pages that a page links to. */
function linksOf(file: string): readonly string[] {
  return [...read(file).matchAll(/\]\((?![a-z]+:|#)([^)#\s]+\.md)/g)].map(([, target = '']) =>
    normalize(join(dirname(file), target)),
  )
}

/** Every page that can be reached from one by links, and how many it takes. */
function distancesFrom(start: string): ReadonlyMap<string, number> {
  const distances = new Map([[start, 0]])
  for (const [file, distance] of distances)
    for (const next of linksOf(file)) if (!distances.has(next)) distances.set(next, distance + 1)
  return distances
}

const distances = distancesFrom('README.md')
/** The types of a stream's events. */
function names(union: object): readonly string[] {
  const events: { properties: { type: { const: string } } }[] = Reflect.get(union, 'oneOf')
  return events.map(({ properties }) => properties.type.const)
}

/** The fewest links to a page that says all of it. */
function distanceTo(says: readonly (string | RegExp)[]): number {
  const found = [...distances].filter(([file]) => {
    const text = read(file)
    return says.every((each) => (typeof each === 'string' ? text.includes(each) : each.test(text)))
  })
  return Math.min(...found.map(([, distance]) => distance))
}

describe('from the README, by links', () => {
  it.each([
    { what: 'a first render', says: ['/api/render/prompts/', '"rendered_prompt"'], most: 0 },
    { what: 'how to install it', says: ['npx ai-prompt-shell init', 'npm install ai-prompt-shell'], most: 0 },
    {
      what: 'every event of a session and of a task',
      says: [...names(TurnEventShape), ...names(TaskEventShape)].map((name) => `\`${name}\``),
      most: 2,
    },
    { what: 'sizing for 200 renders a second', says: [/\b200 renders.*a second/], most: 2 },
    {
      what: 'variables from every SDK',
      says: ['extra_body', 'providerOptions', 'modelKwargs', 'prompt: {'],
      most: 2,
    },
    { what: 'every error and warning', says: ['`prompt_not_found`', '`unknown_variable`'], most: 2 },
    { what: 'which feature one needs', says: ['Which feature do I need?'], most: 2 },
  ])('$what is at most $most away', ({ says, most }) => {
    expect(distanceTo(says)).toBeLessThanOrEqual(most)
  })

  it('the list finds what it is for', () => {
    expect(names(TurnEventShape).length).toBeGreaterThan(15)
    expect(distanceTo(['no page says this'])).toBe(Number.POSITIVE_INFINITY)
  })
})
