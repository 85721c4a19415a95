import { expect, it } from 'vitest'
import { compile, functionLibrary } from '../../../../src/template/index.js'

it.each([
  ['{{truncRunes 2 "今天天气"}}', '今天'],
  ['{{truncRunes -1 "今天天气"}}', '气'],
  ['{{truncRunes -9 "今天"}}', '今天'],
  ['{{truncRunes 0 "今天"}}|{{truncRunes 9 "今天"}}', '|今天'],
  ['{{truncRunes 1 "😀x"}}', '😀'],
  ['{{truncRunes 2 "\\xff今天"}}', '\ufffd今'],
  ['{{truncRunes 5 "hello world"}}', 'hello'],
  ['{{substrRunes 1 3 "今天天气"}}', '天天'],
  ['{{substrRunes 2 -1 "今天天气"}}', '天气'],
  ['{{substrRunes -1 1 "今天"}}|{{substrRunes 3 1 "今天天气"}}|{{substrRunes 9 10 "x"}}', '今||'],
  ['{{abbrevRunes 5 "今天天气很好"}}', '今天...'],
  ['{{abbrevRunes 6 "今天天气很好"}}|{{abbrevRunes 3 "今天天气很好"}}', '今天天气很好|今天天气很好'],
  ['{{lenRunes "今天天气"}} {{lenRunes "😀"}} {{lenRunes "\\xff"}} {{lenRunes ""}}', '4 1 1 0'],
])('%s', (source, expected) => {
  expect(compile(source, { functions: functionLibrary }).renderSync({})).toBe(expected)
})
