import { appendFileSync } from 'node:fs'

/**
 * Appends one JSON line per event of a run to the file in HOMEPORT_TEST_MUTATION_EVENTS, so that the events of a killed run remain.
 */
export default class EventReporter {
  /** The start times of the test files, by path. */
  #starts = new Map()

  onTestModuleQueued({ moduleId }) {
    this.#starts.set(moduleId, Date.now())
  }

  onTestModuleEnd(module) {
    const tests = [...module.children.allTests()]
    const failed = tests.filter((test) => test.result().state === 'failed')
    write({
      file: module.moduleId,
      project: module.project.name,
      start: this.#starts.get(module.moduleId) ?? Date.now(),
      end: Date.now(),
      passed: module.ok(),
      slowestMs: Math.round(Math.max(0, ...tests.map((test) => test.diagnostic()?.duration ?? 0))),
      failures: [...failed.map(({ fullName }) => fullName), ...module.errors().map(firstLine)],
    })
  }

  onTestRunEnd(_modules, unhandledErrors, reason) {
    write({ reason, errors: unhandledErrors.map(firstLine) })
  }
}

const firstLine = ({ message }) => String(message).split('\n')[0]

function write(event) {
  appendFileSync(process.env.HOMEPORT_TEST_MUTATION_EVENTS, `${JSON.stringify(event)}\n`)
}
