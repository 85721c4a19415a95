import { createHash, createPublicKey, verify } from 'node:crypto'

// What a process should serve of one prompt, worked out without a line of the service: from what it was told, in order.

// biome-ignore lint/suspicious/noExplicitAny: documents of a test, which this looks at field by field
type Document = any

const sorted = (value: Document): Document => {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const names = Object.keys(value).sort()
  return Object.fromEntries(names.map((name) => [name, sorted(value[name])]))
}

export class LivesOracle {
  readonly #id: string
  readonly #gate: Document
  readonly #view = new Map<string, string>()
  readonly #digests = new Map<number, string>()
  readonly #texts = new Map<number, string>()
  #accepted: Document
  readonly #lastGood = new Map<string, Document>()

  constructor(id: string, gate: Document) {
    this.#id = id
    this.#gate = gate
  }

  told(key: string, text: string | undefined): void {
    if (text === undefined) this.#view.delete(key)
    else this.#view.set(key, text)
    const number = /@(\d+)$/.exec(key)?.[1]
    if (number !== undefined) this.#readVersion(Number(number), text)
    else this.#readRelease(key.slice(key.lastIndexOf(':') + 1), text)
  }

  under(label: string): readonly string[] | undefined {
    const release = label === this.#gate.label ? this.#accepted : this.#lastGood.get(label)
    if (release === undefined || !this.#view.has(`releases:a:b:${label}`)) return undefined
    const wanted = (release.split ?? [release]).map((target: Document) => this.#textOf(target))
    if (wanted.every((text: unknown) => text !== undefined)) return wanted
    const before = release.previous && this.#textOf(release.previous)
    return before === undefined ? undefined : [before]
  }

  of(number: number): string | undefined {
    return this.#texts.get(number)
  }

  #readVersion(number: number, text: string | undefined): void {
    if (text === undefined) this.#texts.delete(number)
    const document = JSON.parse(text ?? '{}')
    const digest = digestIn(this.#id, number, document)
    if (digest === undefined) return
    if (!this.#digests.has(number)) this.#digests.set(number, digest)
    if (this.#digests.get(number) === digest) this.#texts.set(number, document.userPrompt)
  }

  #readRelease(label: string, text: string | undefined): void {
    if (text === undefined) this.#lastGood.delete(label)
    const document = JSON.parse(text ?? '{}')
    if (document.sequence === undefined) return
    this.#lastGood.set(label, document)
    const isLower = this.#accepted !== undefined && document.sequence < this.#accepted.sequence
    if (label === this.#gate.label && !isLower && this.#isSigned(document)) this.#accepted = document
  }

  #isSigned({ signatures = [], ...release }: Document): boolean {
    const { audience, label, signers, required } = this.#gate
    const said = JSON.stringify(sorted({ audience, kind: 'templates', id: this.#id, label, release }))
    const text = Buffer.from(`ai-prompt-shell release 1\n${said}`)
    const good = signatures.filter(({ signer, value }: Document) => {
      const der = { key: Buffer.from(signers[signer] ?? '', 'base64'), format: 'der', type: 'spki' } as const
      return signers[signer] && verify(null, text, createPublicKey(der), Buffer.from(value, 'base64'))
    })
    return new Set(good.map(({ signer }: Document) => signers[signer])).size >= required
  }

  #textOf({ version, digest }: Document): string | undefined {
    const text = this.#view.get(`templates:a:b@${version}`)
    const document = text && JSON.parse(text)
    if (!document || digestIn(this.#id, version, document) !== digest) return undefined
    return this.#digests.get(version) === digest ? document.userPrompt : undefined
  }
}

function digestIn(
  id: string,
  number: number,
  { 'x-version': stamp, ...document }: Document,
): string | undefined {
  if (stamp?.of !== id || stamp.number !== number) return undefined
  const content = JSON.stringify(
    sorted({ kind: 'templates', id, number, document, partials: stamp.partials }),
  )
  const digest = createHash('sha256').update(content).digest('hex')
  return digest === stamp.digest ? digest : undefined
}
