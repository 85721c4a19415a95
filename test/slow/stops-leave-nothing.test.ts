import { AsyncLocalStorage } from 'node:async_hooks'
import { createRequire } from 'node:module'
import { expect, it } from 'vitest'
import type { DeclaredFunction } from '../../src/template/api.js'
import { compile, TemplateError } from '../../src/template/index.js'
import { functionLibrary } from '../../src/template/library/function-library.js'
import { createHardStop } from '../../src/util/slices/hard-stop.js'
import { isInSlice } from '../../src/util/slices/slice.js'

const STOPS = 1_000
/** Shorter than every render here, by enough milliseconds that stops come everywhere. */
const LIMITS = [1, 2, 3, 4, 5]

const context = new AsyncLocalStorage<string>()
const seen: (string | undefined)[] = []
const functions = new Map<string, DeclaredFunction | ((value: unknown) => unknown)>([
  ...functionLibrary,
  [
    'tool',
    async (value: unknown) => {
      seen.push(isInSlice() ? 'in a slice' : context.getStore())
      return value
    },
  ],
])

const ROUNDS = '{{range until 40}}'
/** Each uses caches of its own kind: code, expressions, zones, formats, keys, packages. */
const TEXTS = [
  `${ROUNDS}{{regexReplaceAll "(a+)(b?)" (repeat 200 "aab") "$2$1"}}{{end}}`,
  `${ROUNDS}{{regexFindAll "[a-f]+\\\\d" (repeat 300 "abc1") -1}}{{end}}`,
  `${ROUNDS}{{dateInZone "2006-01-02 15:04" 0 (index (list "Europe/Berlin" "Asia/Tokyo" "America/Lima") (mod . 3))}}{{end}}`,
  `${ROUNDS}{{printf "%05d|%-8s|%x" . (print .) .}}{{end}}{{toYaml .data}}`,
  `${ROUNDS}{{range $k, $v := $.data}}{{$k}}{{$v}}{{end}}{{end}}`,
  `{{define "part"}}{{upper .}}{{end}}${ROUNDS}{{template "part" "x"}}{{tool .}}{{end}}`,
  `${ROUNDS}{{if tool true}}{{sha256sum (print .)}}{{end}}{{end}}`,
  `${ROUNDS}{{toJson $.data | fromJson | len}}{{semverCompare ">=1.2" "1.3.0"}}{{end}}`,
]
const data = { data: Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`ключ${index}`, index])) }

const templates = () => TEXTS.map((text) => compile(text, { functions }))

it('a thousand stops at any moment leave everything as it was', async () => {
  const expected: string[] = []
  for (const template of templates()) expected.push(await template.render(data))
  const guards = LIMITS.map((limitMs) => createHardStop({ limitMs }))
  let stops = 0
  let others = 0
  for (let index = 0; stops < STOPS && others < 20 * STOPS; index += 1) {
    const text = TEXTS[index % TEXTS.length] ?? ''
    const guard = guards[index % guards.length] ?? guards[0]
    // Again and again new: what is worked out at the first render is interrupted too.
    const template = compile(`${text}{{/* ${index % 97} */}}`, { functions })
    const render = () => template.render(data, { ...(guard && { guard }), isDoubted: true })
    const error = await context.run(`render ${index}`, () =>
      render().then(
        () => undefined,
        (reason: unknown) => reason,
      ),
    )
    if (error === undefined) others += 1
    else if (error instanceof TemplateError && error.reason === 'stopped') stops += 1
    else throw error
    expect([isInSlice(), context.getStore()]).toEqual([false, undefined])
    if (index % 50 !== 0) continue
    for (const [at, fresh] of templates().entries()) expect(await fresh.render(data)).toBe(expected[at])
  }
  expect(stops).toBe(STOPS)
  expect(seen.filter((store) => store?.startsWith('render ') !== true && store !== undefined)).toEqual([])
  const { cache } = createRequire(import.meta.url)
  expect(Object.values(cache).filter((module) => module?.loaded !== true)).toEqual([])
})
