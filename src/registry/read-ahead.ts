import { createHash } from 'node:crypto'
import { documentKey } from '../store/document-key.js'
import type { StoredDocument } from '../store/store.js'
import { JsonBoundError } from '../util/json/json-bound-error.js'
import { JsonScanner } from '../util/json/json-scanner.js'
import { parseInPieces } from '../util/json/parse-in-pieces.js'
import { LONG_YAML, MAX_FOREIGN_DEPTH } from '../util/limits.js'
import type { Slicer } from '../util/slices/pause.js'
import { runSliced, type Sliced } from '../util/slices/sliced.js'
import { endOfCharacter } from '../util/text/end-of-character.js'
import type { YamlReader } from '../util/yaml/yaml-reader.js'
import type { AheadDocument } from './ahead-document.js'
import { deepTextProblem, yamlProblem } from './parse-document.js'
import { revisionOfDigest } from './revision.js'

type Ahead = NonNullable<AheadDocument['ahead']>

/** Longer documents are hashed and parsed in pieces, in characters. */
const LONG = 65_536
/** Characters that are hashed or scanned at a time. */
const PIECE = 65_536
const BOUNDS = { maxValues: Number.POSITIVE_INFINITY, maxDepth: MAX_FOREIGN_DEPTH }

/** True for a document that takes so long to read that others should have their turn meanwhile. */
export function isLong({ content }: StoredDocument): boolean {
  return content.kind === 'text' && content.text.length > (content.format === 'yaml' ? LONG_YAML : LONG)
}

/** Reads a long document in slices, and YAML elsewhere. */
export async function readAhead(
  document: StoredDocument,
  slicer: Slicer,
  reader: Pick<YamlReader, 'read'>,
): Promise<AheadDocument> {
  const { content } = document
  if (content.kind !== 'text') return document
  const revision = await runSliced(revisionInPieces(documentKey(document), content.text), slicer)
  const read =
    content.format === 'yaml'
      ? await readElsewhere(content.text, slicer, reader)
      : await runSliced(parsed(content.text), slicer)
  return { ...document, ahead: { revision, read } }
}

async function readElsewhere(
  text: string,
  slicer: Slicer,
  reader: Pick<YamlReader, 'read'>,
): Promise<Ahead['read']> {
  try {
    const { json, notes } = await reader.read(text, MAX_FOREIGN_DEPTH)
    slicer.begin()
    const read = await runSliced(parsed(json), slicer)
    return read !== undefined && 'value' in read && notes.length > 0 ? { ...read, notes } : read
  } catch (error) {
    return { problem: yamlProblem(error) }
  }
}

/** The revision of a document, hashed in pieces; equal to that of one that is hashed as a whole. */
function* revisionInPieces(key: string, text: string): Sliced<string> {
  const sum = createHash('sha256').update(`${key}\0`)
  let start = 0
  while (start < text.length) {
    const end = endOfCharacter(text, start + PIECE)
    sum.update(text.slice(start, end))
    start = end
    yield
  }
  return revisionOfDigest(sum.digest())
}

function* parsed(text: string): Sliced<Ahead['read']> {
  try {
    const scanner = new JsonScanner(text, BOUNDS)
    while (!scanner.isDone) {
      scanner.advance(PIECE)
      yield
    }
    return { value: yield* parseInPieces(text, scanner) }
  } catch (error) {
    if (error instanceof JsonBoundError) return readOfDeepText(text)
    if (error instanceof SyntaxError) return { problem: error }
    throw error
  }
}

function readOfDeepText(text: string): Ahead['read'] {
  const problem = deepTextProblem(text)
  return problem === undefined ? undefined : { problem }
}
