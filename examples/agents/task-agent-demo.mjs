// Shows: a plan that is carried out once; then a task that fails, reflects, plans again and succeeds.
import {
  AgentBuilder,
  HookExecutor,
  isTerminal,
  JsonPlanParser,
  runReflectiveTask,
  TaskAgent,
  ToolRegistry,
} from 'ai-prompt-shell/agent'
import { createScriptedModel } from 'ai-prompt-shell/testing'

// 1. A plan, step by step, each a turn of the agent.
const hooks = new HookExecutor().register('onPlanStepComplete', ({ planStepIndex }) =>
  console.log(`[onPlanStepComplete ${planStepIndex}]`),
)
const bundle = new AgentBuilder()
  .provider(
    createScriptedModel([
      '{"steps":[{"description":"收集资料"},{"description":"写总结"}]}',
      '三篇文章',
      '总结完成',
    ]),
  )
  .toolRegistry(new ToolRegistry())
  .hookExecutor(hooks)
  .config({ model: 'scripted' })
  .build()
const done = await new TaskAgent({ name: 'writer' }, bundle).run('写一份报告')
for (const { description, status } of done.steps) console.log(description, status, isTerminal(status))

try {
  await new JsonPlanParser().parse('{"steps":[{}]}', '写一份报告')
} catch (error) {
  console.log(`${error.code}: ${error.message}`)
}

// 2. Twelve steps; the fifth fails in the first round, for the time range is wrong.
const STEPS = [
  'check_csv_file',
  'add_datasource',
  'data_upload',
  'data_preview',
  'data_validation',
  'feature_extraction',
  'model_selection',
  'model_training',
  'model_evaluation',
  'model_release',
  'create_prediction',
  'load_prediction',
]
const tools = new ToolRegistry()
for (const name of STEPS) {
  tools.register({
    name,
    parameters: { type: 'object', properties: { range: { type: 'string' } } },
    execute({ range }) {
      if (name === 'data_validation' && range !== '2024') throw new Error('no data in this time range')
      return `${name} done`
    },
  })
}
const planFor = (range) => ({
  plan_id: `plan_${range}`,
  steps: STEPS.map((tool, index) => ({
    step_id: `step_${index + 1}`,
    step_name: tool,
    tool_id: tool,
    parameters: { range },
    dependencies: index === 0 ? [] : [`step_${index}`],
  })),
})
const evaluation = (overall, correctness) => ({
  overall_score: overall,
  is_successful: correctness > 90,
  dimensions: { completeness: overall, correctness, efficiency: 80, reliability: 85 },
  failures: correctness > 90 ? [] : ['数据验证失败'],
})
const replies = [
  planFor('2042'),
  evaluation(45, 40),
  { root_causes: ['时间范围参数不正确'], should_replan: true },
  planFor('2024'),
  evaluation(95, 98),
]
const provider = createScriptedModel(replies.map((reply) => JSON.stringify(reply)))
const result = await runReflectiveTask({
  provider,
  model: 'scripted',
  tools,
  description: '进行负荷预测，文件路径: /data/load.csv',
  config: { enableStepLevelReflection: false, maxStepRetries: 0 },
  onEvent(event) {
    if (event.type === 'phase.started') console.log(`round ${event.round}: ${event.phase}`)
    if (event.type === 'step.updated' && event.step.status === 'failed')
      console.log(`  ${event.step.id} failed: ${event.step.error.message}`)
    if (event.type === 'evaluation') console.log(`  correctness ${event.evaluation.dimensions.correctness}`)
    if (event.type === 'reflection') console.log(`  because: ${event.reflection.rootCauses.join(', ')}`)
  },
})
const { endedBy, rounds, failureCount: failures } = result
console.log({ endedBy, rounds, failures, text: result.output.text, calls: provider.requests.length })
