import { errors } from '../../errors.ts'
import { type CreatedPush, createPush } from '../../push/delivery/create-push.ts'
import { checkTarget } from '../../push/installations/targets.ts'
import { checkCertificate } from '../../push/providers/apns/apns-certificate.ts'
import { INSTALLATION, type Push } from '../../push/push.ts'
import type { PushTarget } from '../../push/push-request.ts'
import { type PushCircumstances, parsePush } from '../../push/request/parse-push.ts'
import { deviceTypeIn, profileIn } from '../../push/request/parse-where.ts'
import { type Answer, type Call, ok } from '../call.ts'
import { route } from '../route.ts'

/** POST /1.1/push — to installations that meet a condition or listen to channels (protocol/push, Request). */
export const push = route('POST', '/1.1/push', async (call) => {
  await admitPush(call)
  const request = parsePush(call.body, circumstancesOf(call))
  checkTarget(call.app.push, request.target, call.caller)
  checkIos(call.app.push, request.target)
  return pushed(await createPush(call.app.push, request, 'push'))
})

/** @throws ApiError 1 for a push to iOS devices alone, when the certificate that they are reached by has expired */
export function checkIos({ settings }: Push, target: PushTarget): void {
  if (target.kind === 'absent') return
  const [deviceType, profile] =
    target.kind === 'devices'
      ? [target.deviceType, target.profile]
      : [deviceTypeIn(target.where), profileIn(target.where)]
  if (deviceType === 'ios') checkCertificate(settings().apns, profile)
}

/**
 * Counts a call that pushes.
 * @throws ApiError 403 for a client while only the master key may push (protocol/push, Request), 429 over the limit
 */
export async function admitPush(call: Call): Promise<void> {
  checkPushRight(call)
  const { limits, push } = call.app
  await limits.takeInMinute('push', '', push.settings().limits.calls)
}

/** @throws ApiError 403 */
export function checkPushRight({ app, caller }: Call): void {
  if (!caller.master && app.push.settings().restrictClientPush)
    throw errors.forbidden('Clients may not push: it takes the master key, as long as push.restrictClientPush is on.')
}

export function circumstancesOf({ app, production }: Call): PushCircumstances {
  const { classes } = app.objects
  return {
    prod: production ? 'prod' : 'dev',
    now: Date.now(),
    isDate: (field) => classes.get(INSTALLATION)?.fields.get(field)?.type.type === 'Date',
  }
}

export function pushed({ id, createdAt }: CreatedPush): Answer {
  return ok({ objectId: id, createdAt })
}
