import { generateKeyPairSync } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { ServiceError } from '../../errors.js'
import type { LabelGate } from '../../schema/config-file.js'
import { errorMessage } from '../../util/errors/error-message.js'
import { isJsonObject } from '../../util/json/json.js'
import { jsonObject, numberField } from '../../util/json/json-fields.js'
import { counted } from '../../util/text/counted.js'
import { proposalAddress, releaseAddress } from '../../versions/addresses.js'
import { type Release, writeRelease } from '../../versions/release-document.js'
import { countSigners, publicKeyOf, readPublicKey, signRelease } from '../../versions/signature.js'
import { type Command, EXIT, type OptionValues, UsageError } from '../command.js'
import { textOption } from '../option-values.js'
import { atDesk, type Desk, printResult, WRITE_OPTIONS } from './desk.js'
import { gateOf } from './gates.js'
import { recordRelease } from './move-label.js'
import { pictureOf } from './picture.js'
import { verdictText } from './prove.js'
import { findSubject, readLife, type Subject, type WrittenLife } from './read-life.js'

/** `sign`: a signature for what was proposed. */
export const sign: Command = {
  usage: [
    'sign <id> <label> --key <file> [options]',
    'sign --all --key <file> [options]',
    'sign --new-key <file>',
  ],
  about: `Adds a signature to what was proposed for a label with a gate, and shows what it moves. With enough signatures the
proposal becomes the label's release. The key is an Ed25519 key in PEM; --new-key creates one and prints the public
key for CONFIG_FILE.`,
  options: {
    ...WRITE_OPTIONS,
    key: { type: 'string', value: '<file>', help: 'the private key, in PEM' },
    all: { type: 'boolean', help: 'sign everything that waits for this key' },
    'new-key': {
      type: 'string',
      value: '<file>',
      help: 'create a key in a new file, and print its public key',
    },
  },
  examples: ['sign --new-key ann.pem', 'sign review.code_review production --key ann.pem'],
  positionals: [0, 2],
  run(words, values, context) {
    const created = textOption(values, 'new-key')
    if (created !== undefined) return Promise.resolve(createKey(created, context.stdout))
    const key = keyOf(values)
    return atDesk(values, context, (desk) => signWanted(desk, words, values['all'] === true, key))
  },
}

interface Key {
  /** PEM. */
  readonly privateKey: string
  /** The base64 line of its PEM. */
  readonly publicKey: string
}

async function signWanted(desk: Desk, words: readonly string[], isAll: boolean, key: Key): Promise<number> {
  const [id, label] = words
  if (isAll !== (id === undefined)) throw new UsageError('name an id and a label, or give --all')
  if (id !== undefined) {
    if (label === undefined) throw new UsageError('missing <label>: sign <id> <label> --key <file>')
    return signOne(desk, await findSubject(desk, id), label, key)
  }
  let code: number = EXIT.ok
  let signed = 0
  for (const { path, proposals: waiting } of await desk.index.all(desk.kind)) {
    if (waiting.length === 0) continue
    const each = path.join('.')
    const subject = await findSubject(desk, each)
    const { proposals } = await readLife(desk, subject)
    for (const [proposed, { release }] of proposals) {
      if (!waitsFor(desk, proposed, release, key)) continue
      signed += 1
      code = Math.max(code, await signOne(desk, subject, proposed, key))
    }
  }
  if (signed === 0) desk.stdout(desk.isJson ? '' : 'nothing waits for this key\n')
  return code
}

function waitsFor(desk: Desk, label: string, release: Release | undefined, { publicKey }: Key): boolean {
  const gate = gateOf(desk.config, label)
  const signer = gate && signerOf(gate, publicKey)
  return signer !== undefined && release?.signatures.some((each) => each.signer === signer) === false
}

async function signOne(desk: Desk, subject: Subject, label: string, key: Key): Promise<number> {
  const { kind, id } = subject
  const gate = gateOf(desk.config, label)
  if (gate === undefined)
    throw new UsageError(`${label} has no gate in CONFIG_FILE: its releases need no signatures`)
  const signer = signerOf(gate, key.publicKey)
  if (signer === undefined)
    throw new UsageError(
      `the key does not belong to a signer of ${label}; its signers are ${Object.keys(gate.signers).join(', ')}`,
    )
  const life = await readLife(desk, subject)
  const proposal = life.proposals.get(label)
  if (proposal?.release === undefined) throw nothingProposed(id, label, life)
  const signed = { kind, id, label, audience: gate.audience, release: proposal.release }
  const value = signRelease(key.privateKey, signed)
  const others = proposal.release.signatures.filter((each) => each.signer !== signer)
  const release: Release = { ...proposal.release, signatures: [...others, { signer, value }] }
  const signers = countSigners({ ...signed, release }, gate)
  const isEnough = signers.length >= gate.required
  if (!desk.isDry && !(await write(desk, subject, life, label, release, isEnough))) {
    desk.stderr(
      `${id}: ${label} or its proposal changed meanwhile; nothing was signed. Look at it and repeat\n`,
    )
    return EXIT.failed
  }
  if (!desk.isDry && isEnough) await recordRelease(desk, subject, label, release, release.action ?? 'promote')
  if (!desk.isDry && isEnough) await removeProposal(desk, subject, label)
  const state = isEnough
    ? `\nsigned by ${signers.join(', ')}: it is the release now`
    : `\nsigned by ${signers.join(', ')}; ${gate.required - signers.length} more needed`
  const picture = pictureOf(`${id}@${label}`, life.releases.get(label)?.release, release)
  const result = { id, label, signers, required: gate.required, released: isEnough, dry_run: desk.isDry }
  printResult(desk, result, [...picture, ...testsOf(release), ...impactOf(release), state])
  return EXIT.ok
}

/** What the tests said that the signature covers, too. */
function testsOf({ tests }: Release): readonly string[] {
  if (tests === undefined) return []
  const said = jsonObject(tests)
  const [passed, failed] = [numberField(said, 'passed') ?? 0, numberField(said, 'failed') ?? 0]
  return [`\n${verdictText({ passed, failed })}`]
}

/** How renders differed when it was proposed. */
function impactOf({ impact }: Release): readonly string[] {
  if (!isJsonObject(impact)) return []
  const [renders, differ, fail] = ['renders', 'differ', 'now_fail'].map(
    (name) => numberField(impact, name) ?? 0,
  )
  const fails = fail === 0 ? '' : `, ${fail} now fail`
  return [`\nimpact: ${differ} of ${counted(renders ?? 0, 'render')} differ${fails}`]
}

/** The release itself where there are enough signatures, else the proposal. False when it changed meanwhile. */
function write(
  { writer }: Desk,
  { kind, path }: Subject,
  { releases, proposals }: WrittenLife,
  label: string,
  release: Release,
  isEnough: boolean,
): Promise<boolean> {
  const document = writeRelease(release)
  if (!isEnough)
    return writer.replace(proposalAddress(kind, path, label), proposals.get(label)?.text, document)
  const before = releases.get(label)
  if ((before?.release?.sequence ?? 0) >= release.sequence) return Promise.resolve(false)
  return writer.replace(releaseAddress(kind, path, label), before?.text, document)
}

async function removeProposal({ writer }: Desk, { kind, path }: Subject, label: string): Promise<void> {
  const address = proposalAddress(kind, path, label)
  const proposal = await writer.read(address)
  if (proposal !== undefined) await writer.replace(address, proposal.text, undefined)
}

function signerOf({ signers }: LabelGate, publicKey: string): string | undefined {
  const wanted = readPublicKey(publicKey)
  return Object.keys(signers).find((name) =>
    signers[name]?.some((each) => readPublicKey(each).equals(wanted)),
  )
}

function nothingProposed(id: string, label: string, { proposals, releases }: WrittenLife): ServiceError {
  const waiting = [...proposals.keys()].sort().join(', ')
  const others = waiting === '' ? 'nothing of it waits' : `what waits is ${waiting}`
  const known = releases.has(label) ? '' : ', and there is no such label yet'
  return new ServiceError('label_not_found', `Nothing is proposed for ${id}@${label}${known}: ${others}`)
}

/** @throws UsageError */
function keyOf(values: OptionValues): Key {
  const file = textOption(values, 'key')
  if (file === undefined) throw new UsageError('missing --key <file>: the private key')
  try {
    const privateKey = readFileSync(file, 'utf8')
    return { privateKey, publicKey: publicKeyOf(privateKey) }
  } catch (error) {
    throw new UsageError(`--key ${file}: ${errorMessage(error)}`)
  }
}

/** Writes a private key that only its owner reads. */
function createKey(file: string, stdout: (text: string) => void): number {
  const { privateKey } = generateKeyPairSync('ed25519')
  const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
  try {
    writeFileSync(file, pem, { flag: 'wx', mode: 0o600 })
  } catch (error) {
    throw new UsageError(`--new-key ${file}: ${errorMessage(error)}`)
  }
  stdout(`${publicKeyOf(pem)}\n`)
  return EXIT.ok
}
