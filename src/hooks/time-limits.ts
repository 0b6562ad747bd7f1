/**
 * Milliseconds that the answer of a hook may take where it matters, and where it does not (protocol/cloud-code, Time
 * limits).
 */
export const DECISION_LIMIT = 10_000
export const NOTICE_LIMIT = 3000
/** The same for what a hook does after a write. */
export const AFTER_LIMIT = 3000
/** For a function. */
export const FUNCTION_LIMIT = 15_000
