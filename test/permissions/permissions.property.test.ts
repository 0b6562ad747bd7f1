import { it } from 'vitest'
import { makeApp } from '../support/app.ts'
import { checkModel, timeFor } from './check-model.ts'

/** Two worlds. This seed causes all events in them; permissions.property.full.test.ts runs more worlds and seeds. */
const CASES = 1152
const SEED = 3

const app = await makeApp()

it(
  'callers see and do what the permission model predicts, for every kind of request',
  { timeout: timeFor(CASES) },
  () => checkModel(app, SEED, CASES),
)
