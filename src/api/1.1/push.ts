import { type CreatedPush, createPush } from '../../push/delivery/create-push.ts'
import { checkTarget, isDateField } from '../../push/installations/targets.ts'
import { checkIos, checkMayPush } from '../../push/request/admission.ts'
import { type PushContext, parsePush } from '../../push/request/parse-push.ts'
import { type Answer, type Call, ok } from '../call.ts'
import { typedFields } from '../request-fields.ts'
import { route } from '../route.ts'

const PUSH_TYPES = {
  data: 'json',
  channels: 'list',
  push_time: 'json',
  expiration_time: 'json',
  expiration_interval: 'number',
  flow_control: 'number',
} as const

/** POST /1.1/push — pushes to installations that meet a condition or subscribe to channels (protocol/push, Request). */
export const push = route({
  method: 'POST',
  path: '/1.1/push',
  rate: 'pushes',
  handler: async (call) => {
    await admitPush(call)
    const request = parsePush(typedFields(call.parameters, PUSH_TYPES), pushContextOf(call))
    checkTarget(call.app.push, request.target, call.caller)
    checkIos(call.app.push, request.target)
    return pushed(await createPush(call.app.push, request, 'push'))
  },
})

/**
 * Checks the permission to push, and counts the request.
 * @throws ApiError 403 for a client while only the master key may push, 429 over the limit
 */
export async function admitPush({ app, caller }: Call): Promise<void> {
  checkMayPush(app.push, caller)
  await app.limits.takeInMinute('push', '', app.push.settings().limits.calls)
}

export function pushContextOf({ app, production }: Call): PushContext {
  return { prod: production ? 'prod' : 'dev', now: Date.now(), isDate: (field) => isDateField(app.push, field) }
}

export function pushed({ id, createdAt }: CreatedPush): Answer {
  return ok({ objectId: id, createdAt })
}
