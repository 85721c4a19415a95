// Shows: pages of knowledge, and finding those that fit a question.
import { InMemoryStore, KnowledgeStore, MemoryRetriever } from 'ai-prompt-shell/agent'

const store = new KnowledgeStore(new InMemoryStore())
await store.savePage('Rust 入门', 'Rust 是一门系统编程语言，没有垃圾回收。', ['rust', '编程'], 'rust')
await store.savePage(
  'Python 简介',
  'Python 是动态类型语言，适合脚本和数据分析。',
  ['python', '动态'],
  'python',
)
await store.savePage('Cooking rice', 'Wash the rice, add water, boil, rest.', ['food'], 'rice')

const retriever = new MemoryRetriever(store)
for (const query of ['Rust 语言', 'How do I cook rice?', 'the and of']) {
  const { items } = await retriever.search(query)
  console.log(`${query}:`)
  for (const { page, score } of items) console.log(`  ${page.title} (${score.toFixed(2)})`)
  if (items.length === 0) console.log('  nothing')
}

const strict = new MemoryRetriever(store, { minScore: 0.5 })
console.log('with minScore 0.5:', (await strict.search('Rust 语言')).items.length)
