import { it } from 'vitest'
import { makeApp } from '../support/app.ts'
import { checkModel, timeFor } from './check-model.ts'

/** Two worlds. The seed is one that causes all events in them; permissions.property.full.test.ts has more of both. */
const CASES = 1152
const SEED = 3

const app = await makeApp()

it(
  'callers see and do what the permission model predicts, for every kind of request',
  { timeout: timeFor(CASES) },
  () => checkModel(app, SEED, CASES),
)
