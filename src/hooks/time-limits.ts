/** Time limits for the responses of deciding and of notifying hooks, in milliseconds (protocol/cloud-code, Time limits). */
export const DECISION_LIMIT = 10_000
export const NOTICE_LIMIT = 3000
/** The time limit for after hooks. */
export const AFTER_LIMIT = 3000
/** The time limit for functions. */
export const FUNCTION_LIMIT = 15_000
