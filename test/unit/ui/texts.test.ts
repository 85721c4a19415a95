import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { en } from '../../../src/ui/texts/en.js'
import { zh } from '../../../src/ui/texts/zh.js'

const SOURCE = join(import.meta.dirname, '../../../src')
/** States that the service names are texts of the page, too. */
const FOLDERS = ['ui', 'schema']
const KEYS = Object.keys(en) as (keyof typeof en)[]

const names = new Set(
  FOLDERS.flatMap((folder) =>
    readdirSync(join(SOURCE, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.tsx?$/.test(file) && !file.startsWith('texts'))
      .flatMap((file) => readFileSync(join(SOURCE, folder, file), 'utf8').match(/\w+/g) ?? []),
  ),
)

/** What a colleague would not say in Chinese, or what another text of the page calls otherwise. */
const REPLACED = ['目录', '待定', '要做什么', '已用尽', '词元', '说明自己的来源', '按修改批准', '你']

describe('the texts of the page', () => {
  it('are all said', () => {
    expect(KEYS.length).toBeGreaterThan(200)
    expect(KEYS.filter((key) => !names.has(key))).toEqual([])
    expect(names.has('thatNobodySays')).toBe(false)
  })

  it('have the same values in both languages', () => {
    const valuesOf = (text: string) => (text.match(/\{\w+\}/g) ?? []).toSorted()
    const other = KEYS.filter((key) => valuesOf(en[key]).join() !== valuesOf(zh[key]).join())
    expect(other).toEqual([])
  })

  it('are in Chinese what the field says, with Chinese punctuation', () => {
    const found = Object.entries(zh).filter(([, text]) => REPLACED.some((word) => text.includes(word)))
    expect(found).toEqual([])
    expect(Object.entries(zh).filter(([, text]) => /[一-鿿][,;:?!]/.test(text))).toEqual([])
  })
})
