/** For programs that use a service: `ai-prompt-shell/client`. Needs nothing but `fetch`. */
export { ClientError, type ConnectionCode } from './client/client-error.js'
export type { RequestOptions } from './client/connect.js'
export {
  type CatalogNews,
  type Choice,
  type Client,
  type ClientOptions,
  createClient,
  type Rendered,
  type RenderOptions,
} from './client/create-client.js'
export type {
  BeginOptions,
  FollowOptions,
  PageQuery,
  SessionsClient,
  TasksClient,
} from './client/runs.js'
export type * from './client/service-types.js'
