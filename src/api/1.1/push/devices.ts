import { createPush } from '../../../push/create-push.ts'
import { parsePushDevices } from '../../../push/parse-push-devices.ts'
import { route } from '../../route.ts'
import { admitPush, circumstancesOf, pushed } from '../push.ts'

/** POST /1.1/push/devices — to devices by the ids that their providers know them by (spec/push-details, 3.2). */
export const pushDevices = route('POST', '/1.1/push/devices', async (call) => {
  admitPush(call)
  return pushed(await createPush(call.app.push, parsePushDevices(call.body, circumstancesOf(call)), 'push'))
})
