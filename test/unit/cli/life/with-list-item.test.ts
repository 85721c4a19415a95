import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { withListItem } from '../../../../src/cli/life/with-list-item.js'
import { parseJson } from '../../../../src/util/json/json.js'
import { jsonObject } from '../../../../src/util/json/json-fields.js'

const added = { name: 'aliases', item: { id: 'a.b', versions: { '1': 1 } } }
const ITEM = '[{"id":"a.b","versions":{"1":1}}]'
const BLOCK = 'aliases:\n  - id: a.b\n    versions:\n      "1": 1\n'

/** What the author wrote, and what is to stand there afterwards. */
const YAML: readonly (readonly [string, string, string])[] = [
  [
    'blocks and comments',
    '# ours\nuserPrompt: |\n  Hi # no comment\n\nname: x # a name\n',
    `# ours\nuserPrompt: |\n  Hi # no comment\n\nname: x # a name\n${BLOCK}`,
  ],
  [
    'braces within blocks',
    "userPrompt: 'Hi'\noptions: {temperature: 0}\n",
    `userPrompt: 'Hi'\noptions: {temperature: 0}\n${BLOCK}`,
  ],
  ['no line break at its end', 'userPrompt: Hi', `userPrompt: Hi\n${BLOCK}`],
  ['braces', '{userPrompt: Hi, name: x}\n', `{userPrompt: Hi, name: x, aliases: ${ITEM}}\n`],
  [
    'braces over lines',
    '{\n  userPrompt: Hi,\n  name: x,\n}\n',
    `{\n  userPrompt: Hi,\n  name: x,\n  aliases: ${ITEM}\n}\n`,
  ],
  [
    'a list that is there',
    'userPrompt: Hi # text\naliases:\n  # from there\n  - {id: old, versions: {"3": 7}}\n',
    'userPrompt: Hi # text\naliases:\n  # from there\n  - {id: old, versions: {"3": 7}}\n  - id: a.b\n    versions:\n      "1": 1\n',
  ],
  [
    'a list in braces',
    '{ userPrompt: Hi, aliases: [ { id: old } ] }\n',
    '{ userPrompt: Hi, aliases: [ { id: old }, { id: a.b, versions: { "1": 1 } } ] }\n',
  ],
  ['a text that ends with the document', 'userPrompt: |\n  Hi', `userPrompt: |\n  Hi\n${BLOCK}`],
  // What is added after its end would be another document.
  ['an end of its own', 'userPrompt: Hi # x\n...\n', `userPrompt: Hi # x\n${BLOCK}...\n`],
]

const JSON_TEXTS: readonly (readonly [string, string, string])[] = [
  ['one line', '{"userPrompt":"Hi"}', `{"userPrompt":"Hi", "aliases": ${ITEM}}`],
  [
    'lines, and lists in one line',
    '{\n    "supports": ["chat"],\n    "userPrompt": "}"\n}\n',
    `{\n    "supports": ["chat"],\n    "userPrompt": "}",\n    "aliases": ${ITEM}\n}\n`,
  ],
  [
    'a list that is there',
    '{\n  "aliases": [{ "id": "old" }],\n  "n": 12345678901234567890\n}\n',
    '{\n  "aliases": [\n    {\n      "id": "old"\n    },\n    {\n      "id": "a.b",\n      "versions": {\n        "1": 1\n      }\n    }\n  ],\n  "n": 12345678901234567890\n}\n',
  ],
]

describe('one item more', () => {
  it.each(YAML)('leaves YAML with %s as it is', (_name, text, expected) => {
    expect(withListItem(text, parse(text), true, added)).toBe(expected)
  })

  it.each(JSON_TEXTS)('leaves JSON with %s as it is', (_name, text, expected) => {
    expect(withListItem(text, jsonObject(parseJson(text)), false, added)).toBe(expected)
  })
})
