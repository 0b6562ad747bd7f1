import { it } from 'vitest'
import { makeApp } from '../support/app.ts'
import { checkModel, timeFor } from './check-model.ts'

const CASES = Number(process.env.HOMEPORT_TEST_PERMISSION_CASES ?? 2000)
const SEED = Number(process.env.HOMEPORT_TEST_SEED ?? 20_261_122)

const app = await makeApp()

it('callers see and do what the permission model predicts, in many worlds', { timeout: timeFor(CASES) }, () =>
  checkModel(app, SEED, CASES),
)
