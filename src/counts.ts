/** A number with the values of its labels. */
export interface CountedSeries {
  readonly labels: readonly string[]
  readonly value: number
}

/** Counts events by labels, since the process began. Values of labels come from the program, never from clients, so they are few. */
export class Counts {
  readonly #series = new Map<string, { readonly labels: readonly string[]; value: number }>()

  /** Adds events of one kind. */
  add(labels: readonly string[], events = 1): void {
    const key = labels.join('\n')
    const series = this.#series.get(key)
    if (series) series.value += events
    else this.#series.set(key, { labels, value: events })
  }

  /** Returns the counts so far. */
  all(): readonly CountedSeries[] {
    return [...this.#series.values()]
  }
}

/** The counts of a node that its parts keep for `/metrics` and alerts. The labels of each are in parentheses. */
export interface NodeCounts {
  /** Messages of conversations that were stored. */
  readonly messages: Counts
  /** Mails (outcome: `sent`, `rejected`, `failed`). */
  readonly mails: Counts
  /** Devices of pushes (channel, outcome: `accepted`, `failed`, `unregistered`, or `later` when the provider has to be called again). */
  readonly pushDevices: Counts
  /** Failed calls of cloud code (reason: a `FailureKind`, or `busy`). */
  readonly engineFailures: Counts
  /** Ended runs of jobs (kind, outcome: `succeeded`, `retried`, `failed`). */
  readonly jobRuns: Counts
}

export function nodeCounts(): NodeCounts {
  return {
    messages: new Counts(),
    mails: new Counts(),
    pushDevices: new Counts(),
    engineFailures: new Counts(),
    jobRuns: new Counts(),
  }
}
