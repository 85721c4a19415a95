/**
 * Keys, and addresses, that the rate limit remembers; the least recently seen is forgotten. Their names are short
 * whatever clients send, so that the count bounds the bytes, too: about 10 MB.
 */
export const MAX_LIMITED_CALLERS = 50_000
/** Time in which a client must send its whole request. */
export const REQUEST_TIMEOUT_MS = 60_000
/** Unread bytes of an event stream above which its reader is disconnected; it reconnects with the id of its last event. */
export const MAX_UNREAD_BYTES = 1024 * 1024
/** What one message of MCP may hold: more than arguments and variables need. */
export const MCP_MESSAGE_BOUNDS = { maxBytes: 256 * 1024, maxValues: 10_000, maxDepth: 32 }
/**
 * Requests that are taken up in one turn of the event loop beside the first of each connection: 5 ms. Clients that send more
 * without waiting for answers lose the connection.
 */
export const MAX_PIPELINED_TOGETHER = 128
/** Chunks of less than 64 bytes that are taken in one turn of the event loop; beyond it their connections are read one after the other. */
export const MAX_SMALL_CHUNKS_TOGETHER = 1_024
/** Smaller chunks of a body are those of which one read has too many. */
export const TINY_CHUNK_BYTES = 16
/**
 * Chunks of less than {@link TINY_CHUNK_BYTES} that are taken in one turn of the event loop: 7 ms. Beyond it requests are refused whose
 * connection brings more than {@link MAX_TINY_CHUNKS_OF_ONE} of them in the turn.
 */
export const MAX_TINY_CHUNKS_TOGETHER = 2_048
/** Such chunks that each connection may bring in a turn, whatever others bring. */
export const MAX_TINY_CHUNKS_OF_ONE = 128
