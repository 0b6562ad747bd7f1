import { describe, it } from 'vitest'
import { makeApp } from '../../support/app.ts'
import { loadFixtures } from './fixture.ts'
import { fixtureScope, runScenario } from './steps.ts'
import { fill, fillText, innerScope, type Scope } from './template.ts'

// Replays the exchanges of clients that cannot run here. A fixture contains what a client sends, according to its source,
// and what it demands of responses and pushes. Each fixture has its own app; its scenarios run in order.

for (const [name, fixture] of loadFixtures(new URL('./fixtures/', import.meta.url))) {
  describe(name, async () => {
    const services = { app: await makeApp() }
    const shared = fixtureScope(services.app, fixture)
    await runScenario(fixture, services, fixture.setup ?? [], shared)
    let number = 0
    for (const scenario of fixture.scenarios) {
      for (const variables of scenario.cases ?? [{}]) {
        const scope = innerScope(shared, { scenario: ++number })
        it(fillText(scenario.name, innerScope(scope, variables)), async () => {
          setVariables(fixture.variables ?? {}, scope)
          setVariables(variables, scope)
          await runScenario(fixture, services, scenario.steps, scope)
        })
      }
    }
  })
}

function setVariables(variables: Readonly<Record<string, unknown>>, scope: Scope): void {
  for (const [name, value] of Object.entries(variables)) scope.set(name, fill(value, scope))
}
