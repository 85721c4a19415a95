import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  compressionAlgorithms,
  type handleUnaryCall,
  loadPackageDefinition,
  Server,
  ServerCredentials,
  type ServiceClientConstructor,
} from '@grpc/grpc-js'
import { loadSync } from '@grpc/proto-loader'
import { ReflectionService } from '@grpc/reflection'

const here = fileURLToPath(new URL('.', import.meta.url))

/** The `.proto` of the test service. */
export const LOOKUP_PROTO = join(here, 'lookup.proto')

type Unary = handleUnaryCall<Record<string, unknown>, Record<string, unknown>>

export interface GrpcServerOptions {
  readonly port?: number
  readonly reflection?: 'v1' | 'v1alpha' | 'none'
  readonly credentials?: ServerCredentials
  /** Compresses every answer. */
  readonly gzip?: boolean
  readonly find?: Unary
  readonly act?: Unary
}

/** A real grpc-js server with the test service. */
export interface TestGrpcServer {
  readonly port: number
  close(): Promise<void>
}

/** Starts the server; by default it answers `Find` with its query. */
export async function startGrpcServer(options: GrpcServerOptions = {}): Promise<TestGrpcServer> {
  const definition = loadSync(LOOKUP_PROTO, { keepCase: true, longs: String, defaults: false, oneofs: true })
  const lookup = loadPackageDefinition(definition) as unknown as {
    test: { lookup: { Lookup: ServiceClientConstructor } }
  }
  const server = new Server({
    'grpc.max_send_message_length': -1,
    ...(options.gzip === true ? { 'grpc.default_compression_algorithm': compressionAlgorithms.gzip } : {}),
  })
  const echo: Unary = (call, callback) => callback(null, { query: call.request, texts: [{ text: 'one' }] })
  server.addService(lookup.test.lookup.Lookup.service, {
    Find: options.find ?? echo,
    Act: options.act ?? echo,
    Watch: () => {},
  })
  addReflection(server, definition, options.reflection ?? 'v1')
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync(
      `127.0.0.1:${options.port ?? 0}`,
      options.credentials ?? ServerCredentials.createInsecure(),
      (error, bound) => (error === null ? resolve(bound) : reject(error)),
    ),
  )
  return {
    port,
    async close() {
      server.forceShutdown()
    },
  }
}

type Definition = ConstructorParameters<typeof ReflectionService>[0]

function addReflection(server: Server, definition: object, version: 'v1' | 'v1alpha' | 'none'): void {
  if (version === 'none') return
  const both = new ReflectionService(definition as Definition)
  const wanted = `/grpc.reflection.${version}.ServerReflection/ServerReflectionInfo`
  const only = {
    addService: (service: Readonly<Record<string, { readonly path: string }>>, handlers: object) => {
      const matches = Object.values(service).some(({ path }) => path === wanted)
      if (matches) server.addService(service as never, handlers as never)
    },
  }
  both.addToServer(only as never)
}
