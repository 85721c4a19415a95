import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import protobuf from 'protobufjs'
import descriptor from 'protobufjs/ext/descriptor/index.js'
import { at } from '../util/at.js'
import { errorMessage } from '../util/errors/error-message.js'
import { named } from '../util/named.js'
import { WireError } from './wire-error.js'

/** A unary method: where it is called, and the types of its messages. */
export interface GrpcMethod {
  /** As it travels: `/package.Service/Method`. */
  readonly path: string
  readonly requestType: protobuf.Type
  readonly responseType: protobuf.Type
}

/** Service and method of `pkg.Service/Method`, also with a leading slash or a dot before the method. */
export interface MethodName {
  readonly service: string
  readonly method: string
}

const METHOD_NAME = /^\/?([A-Za-z_][\w.]*)[./]([A-Za-z_]\w*)$/
/** Names become JavaScript names inside the protobuf library, so they must be nothing else. */
const SAFE_NAME = /^[A-Za-z_]\w*$/
const SAFE_PATH = /^\.?[A-Za-z_]\w*(\.[A-Za-z_]\w*)*$/
const FORBIDDEN_NAMES = new Set([
  '__proto__',
  'constructor',
  'prototype',
  'hasOwnProperty',
  'toString',
  'valueOf',
])

/** @throws WireError `invalid_tool` */
export function parseMethodName(text: string): MethodName {
  const match = METHOD_NAME.exec(text)
  if (match === null) {
    throw new WireError('invalid_tool', `"${text}" is not a gRPC method such as package.Service/Method`)
  }
  return { service: at(match, 1), method: at(match, 2) }
}

/** The method, or undefined if the schema has no such service or method. @throws WireError for a streaming one */
export function findGrpcMethod(root: protobuf.Root, name: MethodName): GrpcMethod | undefined {
  const service = root.lookup(name.service, [protobuf.Service])
  if (!(service instanceof protobuf.Service) || !Object.hasOwn(service.methods, name.method)) return undefined
  const method = named(service.methods, name.method)
  method.resolve()
  if (method.requestStream || method.responseStream) {
    throw new WireError(
      'invalid_tool',
      `${name.service}/${name.method} is a stream; tools call unary methods`,
    )
  }
  const { resolvedRequestType: requestType, resolvedResponseType: responseType } = method
  if (requestType === null || responseType === null) return undefined
  return { path: `/${name.service}/${name.method}`, requestType, responseType }
}

/**
 * Reads `.proto` files once, at start.
 *
 * @throws Error when a file or an import is missing or does not parse
 */
export function loadProtoFiles(
  files: readonly string[],
  includeDirectories: readonly string[],
): protobuf.Root {
  const root = new protobuf.Root()
  const beside = root.resolvePath.bind(root)
  root.resolvePath = (origin, target) => {
    const found = includeDirectories.map((directory) => resolve(directory, target)).find(existsSync)
    return found ?? beside(origin, target)
  }
  if (files.length > 0) root.loadSync([...files], { keepCase: true }).resolveAll()
  return root
}

/**
 * Reads descriptors that a server sent. They are foreign: every name is checked before the library sees it.
 *
 * @throws WireError `bad_response`
 */
export function readDescriptors(files: readonly Uint8Array[]): protobuf.Root {
  try {
    const set = { file: files.map((file) => toSafeDescriptor(descriptor.FileDescriptorProto.decode(file))) }
    const message = descriptor.FileDescriptorSet.fromObject(set)
    const root = (protobuf.Root as unknown as DescriptorRoot).fromDescriptor(message)
    restoreMaps(root)
    root.resolveAll()
    return root
  } catch (cause) {
    throw new WireError('bad_response', `the server's reflection is unusable: ${errorMessage(cause)}`, {
      cause,
    })
  }
}

/** The names of the files a descriptor depends on, and its own. */
export function readFileNames(file: Uint8Array): {
  readonly name: string
  readonly dependencies: readonly string[]
} {
  const { name, dependency } = descriptor.FileDescriptorProto.toObject(
    descriptor.FileDescriptorProto.decode(file),
  )
  const dependencies = Array.isArray(dependency) ? dependency.map(String) : []
  return { name: typeof name === 'string' ? name : '', dependencies }
}

/** What the descriptor extension adds to the library without telling its types. */
interface DescriptorRoot {
  fromDescriptor(set: protobuf.Message): protobuf.Root
}

/** In descriptors a map is a list of entries; the library leaves it at that. */
function restoreMaps(namespace: protobuf.NamespaceBase): void {
  for (const nested of namespace.nestedArray) if (nested instanceof protobuf.Namespace) restoreMaps(nested)
  if (!(namespace instanceof protobuf.Type)) return
  for (const field of [...namespace.fieldsArray]) {
    const { key, value } = entryFields(namespace, field)
    if (key === undefined || value === undefined) continue
    namespace.remove(field)
    namespace.add(new protobuf.MapField(field.name, field.id, key.type, value.type))
  }
}

function entryFields(type: protobuf.Type, field: protobuf.Field): Readonly<Record<string, protobuf.Field>> {
  const name = field.type.split('.').at(-1) ?? ''
  const entry = field.repeated ? type.get(name) : null
  const isEntry = entry instanceof protobuf.Type && entry.options?.['map_entry'] === true
  return isEntry && entry.fieldsArray.length === 2 ? entry.fields : {}
}

function toSafeDescriptor(file: protobuf.Message): object {
  const plain = descriptor.FileDescriptorProto.toObject(file, { enums: Number, bytes: Buffer })
  const { sourceCodeInfo: _comments, ...rest } = plain
  assertSafeNames(rest, 'file')
  return rest
}

/** Walks a descriptor: names, type references, and the package. The file's own name is data, not code. */
function assertSafeNames(value: unknown, key: string): void {
  if (Array.isArray(value)) for (const item of value) assertSafeNames(item, key)
  else if (typeof value === 'object' && value !== null) {
    for (const [name, item] of Object.entries(value)) {
      if (typeof item !== 'string') assertSafeNames(item, name)
      else if (!isSafe(name, item, key)) throw new Error(`the name ${JSON.stringify(item)} is not allowed`)
    }
  }
}

function isSafe(property: string, text: string, parent: string): boolean {
  if (property === 'name') return parent === 'file' || (SAFE_NAME.test(text) && !FORBIDDEN_NAMES.has(text))
  if (['package', 'typeName', 'extendee', 'inputType', 'outputType'].includes(property)) {
    return text === '' || (SAFE_PATH.test(text) && !text.split('.').some((part) => FORBIDDEN_NAMES.has(part)))
  }
  return true
}
