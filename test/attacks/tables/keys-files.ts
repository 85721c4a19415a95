/** What somebody writes into the file of keys, and what the status says of it. */
export interface KeysFileRow {
  readonly name: string
  readonly text: () => string
  readonly says: RegExp
}

const MANY = 1_000_000
const HASH = `sha256:${'a'.repeat(64)}`

/** Files of keys that are invalid, or ask for too much. */
export const KEYS_FILES: readonly KeysFileRow[] = [
  { name: '5 MB', text: () => ' '.repeat(5_000_000), says: /larger than 4194304 bytes/ },
  { name: 'half of JSON', text: () => `{"keys":[${'1,'.repeat(MANY / 4)}`, says: /is not JSON/ },
  {
    name: 'a million numbers',
    text: () => `{"keys":[${'1,'.repeat(MANY)}1]}`,
    says: /more than 1000000 values/,
  },
  {
    name: '300,000 empty keys',
    text: () => `{"keys":[${'{},'.repeat(MANY * 0.3)}{}]}`,
    says: /more than 50002 lists and objects/,
  },
  {
    name: '50,000 empty keys',
    text: () => `{"keys":[${'{},'.repeat(49_999)}{}]}`,
    says: /must have at most 10000 items/,
  },
  {
    name: 'lists 100,000 deep',
    text: () => `{"keys":${'['.repeat(MANY / 10)}${']'.repeat(MANY / 10)}}`,
    says: /nested deeper than 20 levels/,
  },
  {
    name: 'a number of 100,000 digits',
    text: () => `{"keys":${'7'.repeat(MANY / 10)}}`,
    says: /a number of more than 400 digits/,
  },
  { name: 'long YAML', text: () => `keys:\n${'- {name: 1}\n'.repeat(3_000)}`, says: /\/keys\/0/ },
  {
    name: 'long YAML that ends too early',
    text: () => `keys:\n${'- {name: 1}\n'.repeat(3_000)}- {`,
    says: /keys\.yaml:3002:\d+ /,
  },
  {
    name: 'YAML whose aliases multiply',
    text: () => `a: &a [x]\nb: &b [*a, *a]\nkeys: *b\n`,
    says: /alias/i,
  },
  {
    name: 'YAML 5,000 deep',
    text: () => `keys: ${'['.repeat(5_000)}${']'.repeat(5_000)}`,
    says: /nested too deeply/,
  },
  { name: 'bytes that are compressed', text: () => '\u001f\u008b\u0008\u0000', says: /keys\.yaml|must be/ },
  {
    name: 'a pattern of 3 MB',
    text: () => file({ prompts: [`a${'b'.repeat(3_000_000)}*`] }),
    says: /prompts\/0: does not have the right form/,
  },
  {
    name: 'a pattern of many stars',
    text: () => file({ prompts: ['*a'.repeat(50)] }),
    says: /prompts\/0: does not have the right form/,
  },
  {
    name: '400,000 patterns',
    text: () => file({ prompts: new Array(400_000).fill('a*') }),
    says: /must have at most 64 items/,
  },
  {
    name: 'an inherited name',
    text: () =>
      `{"keys":[{"name":"a","hash":"${HASH}","scopes":["render"],"__proto__":{"scopes":["admin"]}}]}`,
    says: /__proto__|unknown|additional/,
  },
]

function file(entry: object): string {
  return JSON.stringify({ keys: [{ name: 'a', hash: HASH, scopes: ['render'], ...entry }] })
}
