import { type Client, Metadata, status } from '@grpc/grpc-js'
import protobuf from 'protobufjs'
import { toError } from '../util/errors/error-message.js'
import { readDescriptors, readFileNames } from './grpc-schema.js'
import { MAX_DESCRIPTOR_BYTES, MAX_DESCRIPTOR_FILES } from './limits.js'
import { WireError } from './wire-error.js'

/** The two versions of the protocol differ in their name only. */
const SERVICES = ['grpc.reflection.v1.ServerReflection', 'grpc.reflection.v1alpha.ServerReflection'] as const

const types = protobuf.Root.fromJSON({
  nested: {
    Request: {
      oneofs: { message: { oneof: ['fileByFilename', 'fileContainingSymbol'] } },
      fields: {
        fileByFilename: { type: 'string', id: 3 },
        fileContainingSymbol: { type: 'string', id: 4 },
      },
    },
    Response: {
      oneofs: { message: { oneof: ['files', 'error'] } },
      fields: { files: { type: 'Files', id: 4 }, error: { type: 'Failure', id: 7 } },
    },
    Files: { fields: { descriptors: { rule: 'repeated', type: 'bytes', id: 1 } } },
    Failure: { fields: { code: { type: 'int32', id: 1 }, message: { type: 'string', id: 2 } } },
  },
})
const requestType = types.lookupType('Request')
const responseType = types.lookupType('Response')

type Question = { readonly fileByFilename: string } | { readonly fileContainingSymbol: string }

interface Answer {
  readonly files: readonly Uint8Array[]
  /** Why the list is missing. */
  readonly refusal: string | undefined
}

/** Reads what the types above decoded. */
function answerOf({ files, error }: Readonly<Record<string, unknown>>): Answer {
  const descriptors: unknown = isRecord(files) ? files['descriptors'] : undefined
  const found = Array.isArray(descriptors) ? descriptors.filter((each) => each instanceof Uint8Array) : []
  return { files: found, refusal: isRecord(error) ? String(error['message'] ?? '') : undefined }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

/**
 * Asks a server for everything that describes a service: v1, else v1alpha.
 *
 * @throws WireError `invalid_tool` without reflection or without the service; ServiceError of the wire
 */
export async function reflectService(
  client: Client,
  service: string,
  deadline: number,
): Promise<protobuf.Root> {
  for (const name of SERVICES) {
    try {
      return readDescriptors(await askAll(client, name, service, deadline))
    } catch (error) {
      if (!isUnimplemented(error)) throw error
    }
  }
  throw new WireError(
    'invalid_tool',
    `the server offers no reflection; describe ${service} by a .proto file in the configuration (protoFiles)`,
  )
}

/** One stream: the symbol's file first, then whatever the files depend on and have not brought along. */
function askAll(
  client: Client,
  reflection: string,
  service: string,
  deadline: number,
): Promise<Uint8Array[]> {
  const files = new Map<string, DescribedFile>()
  const asked = new Set<string>()
  const stream = client.makeBidiStreamRequest<Question, Answer>(
    `/${reflection}/ServerReflectionInfo`,
    (question) => Buffer.from(requestType.encode(requestType.fromObject(question)).finish()),
    (bytes) => answerOf(responseType.toObject(responseType.decode(bytes))),
    new Metadata(),
    { deadline },
  )
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => {
      stream.cancel()
      reject(error)
    }
    stream.on('error', reject)
    stream.on('end', () => reject(new WireError('bad_response', 'the reflection stream ended early')))
    stream.on('data', (answer: Answer) => {
      try {
        if (answer.refusal !== undefined) return fail(refusalOf(answer.refusal, service))
        for (const bytes of answer.files) {
          const { name, dependencies } = readFileNames(bytes)
          files.set(name, { bytes, dependencies })
        }
        const next = missingFile(files, asked)
        if (next === undefined) {
          resolve([...files.values()].map(({ bytes }) => bytes))
          return stream.end()
        }
        asked.add(next)
        stream.write({ fileByFilename: next })
      } catch (error) {
        fail(toError(error))
      }
    })
    stream.write({ fileContainingSymbol: service })
  })
}

/** A file that a server sent, and the names of those that it needs. */
interface DescribedFile {
  readonly bytes: Uint8Array
  readonly dependencies: readonly string[]
}

function missingFile(
  files: ReadonlyMap<string, DescribedFile>,
  asked: ReadonlySet<string>,
): string | undefined {
  if (files.size > MAX_DESCRIPTOR_FILES || asked.size > MAX_DESCRIPTOR_FILES)
    throw new WireError('too_large', `reflection names more than ${MAX_DESCRIPTOR_FILES} files`)
  const all = [...files.values()]
  if (all.reduce((sum, { bytes }) => sum + bytes.length, 0) > MAX_DESCRIPTOR_BYTES)
    throw new WireError(
      'too_large',
      `reflection sends more than ${MAX_DESCRIPTOR_BYTES} bytes of descriptors`,
    )
  return all.flatMap(({ dependencies }) => dependencies).find((name) => !files.has(name) && !asked.has(name))
}

function refusalOf(refusal: string, service: string): WireError {
  return new WireError('invalid_tool', `the server does not describe ${service}: ${refusal}`)
}

function isUnimplemented(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === status.UNIMPLEMENTED
}
