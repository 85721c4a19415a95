import { buildApp } from '../app.js'
import { CATALOG_OPTION, catalogOption } from './catalog-option.js'
import { loadCatalogConfig } from './catalog-source.js'
import { closeAtEnd } from './close-at-end.js'
import { type Command, UsageError } from './command.js'
import { watchProcess } from './heartbeat/watch-process.js'

/** `worker`: works on tasks until a signal ends it, and serves nobody. */
export const worker: Command = {
  usage: ['worker [options]'],
  about: `Runs up to TASK_CONCURRENCY tasks at once until SIGTERM or SIGINT, then returns running tasks to the queue.
Needs STATE_URL or REDIS_URL: tasks in memory are only visible to the process that created them.`,
  options: CATALOG_OPTION,
  examples: ['worker', 'worker --catalog my-prompts'],
  positionals: [0, 0],
  endsInOrder: true,
  async run(_words, values, context) {
    const config = loadCatalogConfig(context, catalogOption(values))
    if ((config.stateUrl ?? config.redisUrl) === undefined)
      throw new UsageError('a worker needs STATE_URL or REDIS_URL: tasks in memory are not shared')
    if (config.taskConcurrency === 0)
      throw new UsageError('a worker with TASK_CONCURRENCY=0 has nothing to do')
    const watch = watchProcess(config, context)
    const app = await buildApp(config)
    watch.watchLoop(app)
    app.logger.info({ concurrency: config.taskConcurrency }, 'working on tasks')
    app.logger.flush()
    return closeAtEnd(app, context.signals?.end, watch.end)
  },
}
