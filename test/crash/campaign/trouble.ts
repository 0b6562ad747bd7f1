/** Failures observed by clients. */
export class FaultLog {
  /** Responses that must not occur after any crash. */
  readonly violations: string[] = []
  /** Unsuccessful responses by status and code, with their number. */
  readonly failures = new Map<string, number>()
  /** Requests without a response. */
  unanswered = 0

  countFailure(name: string): void {
    this.failures.set(name, (this.failures.get(name) ?? 0) + 1)
  }
}
