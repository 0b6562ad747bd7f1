/** The tabs of the health page, as named in the URL. */
export const HEALTH_TABS = ['overview', 'doctor', 'requests', 'jobs', 'log'] as const
export type HealthTab = (typeof HEALTH_TABS)[number]

export const JOB_STATES = ['failed', 'retrying', 'running', 'waiting'] as const
export type JobState = (typeof JOB_STATES)[number]
