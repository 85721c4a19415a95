/** The prompts that every catalog has, sorted. */
export const BUNDLED_IDS = ['planner.evaluate', 'planner.plan', 'planner.reflect', 'planner.step'] as const
