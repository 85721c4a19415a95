import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { drawFloors } from '../../support/draw-floors.js'
import { ABOUT, FLOORS, WAYS } from '../../support/floors.js'
import { roomsReachedFrom } from '../../support/imports.js'

const root = resolve(import.meta.dirname, '../../..')
const page = readFileSync(resolve(root, 'docs/explain/architecture.md'), 'utf8')
const rooms = FLOORS.flat()

describe('the architecture page', () => {
  it('has the picture of the floors as they are; `vitest -u` draws it anew', async () => {
    await expect(drawFloors()).toMatchFileSnapshot(resolve(root, 'docs/images/architecture.svg'))
  })

  it('draws every folder of src that is on a floor, and nothing else', () => {
    const folders = readdirSync(resolve(root, 'src'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && entry.name !== 'ui')
      .map(({ name }) => name)
    expect(folders.filter((folder) => ABOUT[folder] === undefined)).toEqual([])
    expect(Object.keys(ABOUT).filter((room) => !rooms.includes(room))).toEqual([])
  })

  it.each(WAYS.map(({ name, rooms: way }) => [name, way] as const))(
    'draws %s through rooms that know the next one, and describes it',
    (name, way) => {
      const unknown = way.slice(1).filter((room, index) => !roomsReachedFrom(way[index] ?? '').has(room))
      expect(unknown).toEqual([])
      const section = page.toLowerCase().split(`**${name}**`)[1]?.split('\n\n')[0] ?? ''
      expect(way.filter((room) => !section.includes(`\`${room}`))).toEqual([])
    },
  )

  it('names only what exists', () => {
    const paths = [...page.matchAll(/`((?:src|test|docs)\/[\w./-]+)`/g)].map((match) => match[1] ?? '')
    expect(paths.length).toBeGreaterThan(5)
    expect(paths.filter((path) => !exists(path))).toEqual([])
  })
})

function exists(path: string): boolean {
  try {
    return readdirSync(resolve(root, path, '..')).includes(path.replace(/\/$/, '').split('/').at(-1) ?? '')
  } catch {
    return false
  }
}
