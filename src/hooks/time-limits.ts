/** Milliseconds that the answer of a hook may take where it matters, and where it does not (spec/hooks, 3.5). */
export const DECISION_LIMIT = 10_000
export const NOTICE_LIMIT = 3000
