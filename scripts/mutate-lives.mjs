// Removes each check of versions and labels in turn, in a copy, and says whether the random histories notice.
// node scripts/mutate-lives.mjs [name…]; exits with 1 if one of them is not noticed.
import { openMutatedCopy, tryMutants } from './mutated-copy.mjs'

const TEST = 'test/unit/registry/lives-histories.test.ts'

/** A check: the file, what it says, and what stands there without it. */
const MUTANTS = {
  'the digest that a release names': [
    'src/registry/label-judge.ts',
    'return version?.digest === digest && !version.isReplaced ? version : undefined',
    'return version !== undefined && !version.isReplaced ? version : undefined',
  ],
  'a version whose key holds something else': [
    'src/registry/label-judge.ts',
    'version?.digest === digest && !version.isReplaced',
    'version?.digest === digest',
  ],
  'the number of signatures': ['src/registry/label-judge.ts', 'length < gate.required', 'length < 0'],
  'the sequence that was served': [
    'src/registry/label-judge.ts',
    'if (last !== undefined && sequence < last.sequence)',
    'if (last !== undefined && sequence < 0)',
  ],
  'all versions of a split': [
    'src/registry/label-judge.ts',
    'if (version === undefined) return { targets, missing: target }',
    'if (version === undefined) continue',
  ],
  'the version before': ['src/registry/label-judge.ts', 'version === undefined ? []', 'true ? []'],
  'the digest of a version': [
    'src/versions/version-document.ts',
    "if (textField(stamp, 'digest') !== digest)",
    "if (textField(stamp, 'digest') === '')",
  ],
  'a number that never changes': [
    'src/registry/read-version.ts',
    'if (known !== undefined && known !== digest)',
    'if (known === digest && known === "")',
  ],
  'a number that was removed': [
    'src/registry/catalog.ts',
    'this.#gone.set(key, served.version.digest)',
    'void key',
  ],
  'different signers': ['src/versions/signature.ts', ' || used.has(publicKeyText(key))', ''],
  'what is signed': [
    'src/versions/signature.ts',
    'jcsText({ audience, kind, id, label, release: document })',
    'jcsText({ kind, id, label, release: document })',
  ],
  'versions that a label names': [
    'src/registry/mirror.ts',
    'const addresses = [...this.#catalog.unknownVersions()]',
    'const addresses = [...this.#catalog.unknownVersions()].slice(1_000)',
  ],
}

tryMutants(openMutatedCopy(TEST, { TEST_SEED: '1', TEST_HISTORIES: '150' }), MUTANTS)
