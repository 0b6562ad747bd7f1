import { errors } from '../../errors.ts'
import type { Caller } from '../../objects/access/caller.ts'
import { checkCertificate } from '../providers/apns/apns-certificate.ts'
import type { Push } from '../push.ts'
import type { PushTarget } from '../push-request.ts'
import { deviceTypeIn, profileIn } from './parse-where.ts'

/**
 * Checks that a caller may send pushes and read their results (protocol/push, Request).
 * @throws ApiError 403 for a client if only the master key may push
 */
export function checkMayPush({ settings }: Push, { master }: Pick<Caller, 'master'>): void {
  if (!master && settings().restrictClientPush)
    throw errors.forbidden('Clients cannot push while push.restrictClientPush is on: use the master key.')
}

/** Rejects a push to iOS devices alone when its certificate has expired. @throws ApiError 1 */
export function checkIos({ settings }: Push, target: PushTarget): void {
  if (target.kind === 'absent') return
  const [deviceType, profile] =
    target.kind === 'devices'
      ? [target.deviceType, target.profile]
      : [deviceTypeIn(target.where), profileIn(target.where)]
  if (deviceType === 'ios') checkCertificate(settings().apns, profile)
}
