import { ok } from '../../call.ts'
import { route } from '../../route.ts'
import { recordOf } from '../notifications.ts'

/** GET /1.1/tables/Notifications/:id — what became of a push, for whoever knows its id (spec/push-details, 5). */
export const notificationTable = route('GET', '/1.1/tables/Notifications/:id', async (call) => ok(await recordOf(call)))
