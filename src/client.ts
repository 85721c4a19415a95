/** For programs that use a service: `ai-prompt-shell/client`. Needs nothing but `fetch`. */
export { ClientError } from './client/client-error.js'
export {
  type Client,
  type ClientOptions,
  createClient,
  type Rendered,
  type RenderOptions,
} from './client/create-client.js'
export type * from './client/service-types.js'
