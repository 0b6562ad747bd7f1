/** What clients met besides success. */
export class Trouble {
  /** What no answer may be, whatever has crashed. */
  readonly violations: string[] = []
  /** Every answer that was no success, by status and code, with how often it came. */
  readonly failures = new Map<string, number>()
  /** Requests that nobody answered. */
  unanswered = 0

  countFailure(name: string): void {
    this.failures.set(name, (this.failures.get(name) ?? 0) + 1)
  }
}
