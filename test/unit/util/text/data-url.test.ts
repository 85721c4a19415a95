import { expect, it } from 'vitest'
import { readDataUrl } from '../../../../src/util/text/data-url.js'

it.each([
  ['data:image/png;base64,QQ==', { mimeType: 'image/png', data: 'QQ==' }],
  ['data:;base64,QQ==', { mimeType: '', data: 'QQ==' }],
  ['data:text/plain;charset=utf-8;base64,QQ', { mimeType: 'text/plain', data: 'QQ' }],
  ['data:image/svg+xml;base64,a,b', { mimeType: 'image/svg+xml', data: 'a,b' }],
  ['data:text/plain,QQ', undefined],
  ['data:text/plain;base64', undefined],
  ['https://host/x;base64,QQ', undefined],
  [`data:${'a'.repeat(240_000)};base64,QQ`, undefined],
  ['', undefined],
])('%.60s', (url, expected) => {
  expect(readDataUrl(url)).toEqual(expected)
})
