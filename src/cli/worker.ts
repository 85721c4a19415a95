import { buildApp } from '../app.js'
import { loadConfig } from '../config.js'
import { closeAtEnd } from './close-at-end.js'
import { type Command, UsageError } from './command.js'

/** `worker`: works on tasks until a signal ends it, and serves nobody. */
export const worker: Command = {
  help: `worker

Works on up to TASK_CONCURRENCY tasks at once until SIGTERM or SIGINT. Needs STATE_URL or REDIS_URL: tasks in memory
are seen by the process that made them only. What runs is given back to the queue when it ends.`,
  options: {},
  positionals: [0, 0],
  endsInOrder: true,
  async run(_words, _values, context) {
    const config = loadConfig({ environment: context.environment })
    if ((config.stateUrl ?? config.redisUrl) === undefined)
      throw new UsageError('a worker needs STATE_URL or REDIS_URL: tasks in memory are not shared')
    if (config.taskConcurrency === 0)
      throw new UsageError('a worker with TASK_CONCURRENCY=0 has nothing to do')
    const app = await buildApp(config)
    app.logger.info({ concurrency: config.taskConcurrency }, 'working on tasks')
    app.logger.flush()
    return closeAtEnd(app, context.signals?.end)
  },
}
