import { makeApp } from '../support/app.ts'
import { describeQueries } from './queries.ts'
import { describeRights } from './rights.ts'

// The index is in the database.
const app = await makeApp()
describeQueries(app)
describeRights(app, await app.makeUser('ann'), await app.makeUser('bob'))
