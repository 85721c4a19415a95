/** Steps of one plan. */
export const MAX_PLAN_STEPS = 100
/** Steps of one plan that run side by side. */
export const MAX_PARALLEL_STEPS = 8
export const MAX_STEP_ID_CHARACTERS = 100
