// Everything that the first view does not need, but for the editor: one file, as each file of its own would bring along
// small files that it shares with others.

export { ActivityPage } from './activity/activity-page.js'
export { AgentPage } from './chat/agent-page.js'
export { PromptChat } from './chat/prompt-chat.js'
export { runPrompt } from './chat/prompt-talk.js'
export { EnvironPage } from './environ-page.js'
export { ProblemsPage } from './problems-page.js'
export { AboutPanel } from './prompt/about-panel.js'
export { CodePanel } from './prompt/code-panel.js'
export { ComparePanel } from './prompt/compare-panel.js'
export { RenderedDiff } from './prompt/rendered-diff.js'
export { TextsDiff } from './prompt/texts-diff.js'
export { TimeLine } from './prompt/time-line.js'
export { VersionsPanel } from './prompt/versions-panel.js'
export { TasksPage } from './tasks/tasks-page.js'
export { ToolPage } from './tool-page.js'
