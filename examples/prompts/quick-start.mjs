// Shows: compile a prompt template, fill it, and put it into a conversation and a model request.
import { PromptComposer, PromptTemplate, TemplateContext } from 'ai-prompt-shell/prompt'

const template = PromptTemplate.compile(
  '你是{{role}}。请回答以下问题:\n{{#if context}}参考背景:{{context}}\n{{/if}}提问:{{question}}',
)

const context = new TemplateContext()
context.insert('role', '资深工程师')
context.insert('question', 'Rust 的所有权规则是什么?')
context.insert('context', '用户有 Java 背景')

console.log(template.render(context))

const messages = new PromptComposer()
  .system('你是一个专业的 Rust 助手')
  .userTemplate(template, context)
  .build()
console.log(JSON.stringify(messages, null, 2))

const request = new PromptComposer().system('你是一个翻译助手').user('Hello, world!').buildRequest('gpt-4o')
console.log(JSON.stringify(request, null, 2))
