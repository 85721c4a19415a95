import type { DocumentRecord } from './document-record.js'
import { dependencesOf } from './requirements.js'
import { idOfKey } from './revision.js'
import type { Snapshot } from './snapshot.js'
import { type ProvidedExtension, type UnmetDependence, unmetDependences } from './unmet-dependences.js'

/** What extensions need of each other and of tools: kept per document, and compared when something of it changed. */
export class ExtensionNeeds {
  /** Extensions that are served, by key. */
  readonly #served = new Map<string, DocumentRecord>()
  /** What others may depend on, by key: extensions of any type. */
  readonly #provided = new Map<string, ProvidedExtension>()
  #unmet: ReadonlyMap<string, readonly UnmetDependence[]> = new Map()
  #changed = false

  /** What served extensions lack, by the id of the extension. */
  get unmet(): ReadonlyMap<string, readonly UnmetDependence[]> {
    return this.#unmet
  }

  /** Takes what a document gives to others; undefined for what gives nothing, or is gone. */
  provide(key: string, extension: ProvidedExtension | undefined): void {
    keep(this.#provided, key, extension)
  }

  /** An extension was read, or is gone. */
  replaced(key: string, record: DocumentRecord | undefined): void {
    this.#changed = true
    keep(this.#served, key, record?.served?.kind === 'extensions' ? record : undefined)
  }

  /** Tools came or went: modules of tools meet needs, too. */
  toolsChanged(): void {
    this.#changed = true
  }

  /** Finds out what is unmet. Returns whether anything may be different. */
  meet(tools: Snapshot['tools']): boolean {
    if (!this.#changed) return false
    this.#changed = false
    const needy = [...this.#served].flatMap(([key, { served }]) => {
      const document = served?.kind === 'extensions' ? served.entry.document : {}
      return dependencesOf(document).length > 0 ? [[idOfKey(key), document] as const] : []
    })
    if (needy.length === 0 && this.#unmet.size === 0) return false
    const modules = new Set([...tools].map(([, { definition }]) => definition.module))
    this.#unmet = unmetDependences(needy, this.#provided.values(), modules)
    return true
  }

  /** What is unmet and required, with the document that says so. */
  *required(): Generator<Omit<UnmetDependence, 'isRequired'> & { readonly record: DocumentRecord }> {
    if (this.#unmet.size === 0) return
    for (const record of this.#served.values()) {
      for (const { isRequired, message, index } of this.#unmet.get(idOfKey(record.key)) ?? [])
        if (isRequired) yield { record, message, index }
    }
  }
}

function keep<Value>(map: Map<string, Value>, key: string, value: Value | undefined): void {
  if (value === undefined) map.delete(key)
  else map.set(key, value)
}
