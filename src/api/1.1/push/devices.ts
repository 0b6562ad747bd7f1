import { createPush } from '../../../push/delivery/create-push.ts'
import { checkIos } from '../../../push/request/admission.ts'
import { parsePushDevices } from '../../../push/request/parse-push-devices.ts'
import { typedFields } from '../../request-fields.ts'
import { route } from '../../route.ts'
import { admitPush, pushContextOf, pushed } from '../push.ts'

const TYPES = { data: 'json', device_ids: 'list', expiration_time: 'json', expiration_interval: 'number' } as const

/** POST /1.1/push/devices — pushes to devices by their ids at the push providers (protocol/push, Request by device ids). */
export const pushDevices = route({
  method: 'POST',
  path: '/1.1/push/devices',
  rate: 'pushes',
  handler: async (call) => {
    await admitPush(call)
    const request = parsePushDevices(typedFields(call.parameters, TYPES), pushContextOf(call))
    checkIos(call.app.push, request.target)
    return pushed(await createPush(call.app.push, request, 'push'))
  },
})
