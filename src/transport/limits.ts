/** Files of descriptors that the reflection of one gRPC server names. */
export const MAX_DESCRIPTOR_FILES = 1_000
/** Bytes of all of these files together: they are read in one piece. */
export const MAX_DESCRIPTOR_BYTES = 1024 * 1024
/** `data` lines of one event; those of models have one. */
export const MAX_EVENT_LINES = 10_000
/** Open channels to gRPC servers. */
export const MAX_GRPC_CHANNELS = 256
/** Open connections to MCP servers. */
export const MAX_MCP_CONNECTIONS = 64
/** Circuits with failures that are remembered; the oldest is forgotten first. */
export const MAX_CIRCUITS = 10_000
/** Events that wait for one endpoint. */
export const MAX_WAITING_WEBHOOKS = 1_000
/** Age at which an event that was not delivered is given up. */
export const MAX_WEBHOOK_AGE_MS = 24 * 3_600_000
/** Concurrent requests to one endpoint. */
export const MAX_WEBHOOKS_AT_ONCE = 8
