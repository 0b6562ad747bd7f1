import { type Device, deviceOf } from '../device.ts'
import type { Installation } from '../installations/targets.ts'
import type { DevicesTarget } from '../push-request.ts'
import type { Page, StartedPush } from './pages.ts'
import { fail, type Tally } from './tally.ts'

/** The devices of a page, and the outcomes that are known before sending. */
export interface PageDevices {
  readonly devices: readonly Device[]
  readonly tally: Tally
}

/**
 * Returns the devices of a page that still need to be sent to. Every selected device is counted once, together with the reason if
 * it cannot be reached.
 * @param installations the current installations of the page
 * @param hasVendors whether the app has credentials of any vendor
 */
export function devicesOfPage(
  { request: { target } }: StartedPush,
  page: Page,
  installations: readonly Installation[],
  hasVendors: boolean,
): PageDevices {
  const isLeft = ({ id }: { readonly id: string }) => !page.handled.has(id)
  if (target.kind === 'devices') {
    const devices = namedDevices(target, page.listed ?? [])
    return { devices: devices.filter(isLeft), tally: counted(page, devices.length) }
  }
  const found = installations.map(({ id, data }) => ({ id, device: deviceOf(id, data, hasVendors) }))
  // The built-in push channel uses the messaging connection, so a device that is offline there cannot be reached by it
  // (protocol/push, Vendor channels).
  const isAbsent = (device: Device | string) => typeof device !== 'string' && device.channel === 'own'
  const meant = target.kind === 'absent' ? found.filter(({ device }) => !isAbsent(device)) : found
  // Handled devices may have been deleted meanwhile, but were selected nevertheless.
  const chosen = new Set([...page.handled, ...meant.map(({ id }) => id)])
  let tally = counted(page, chosen.size)
  // A page with handled devices has these failures in its tally already.
  if (page.handled.size === 0) {
    for (const { device } of meant) if (typeof device === 'string') tally = fail(tally, device)
    // Every selected device has an outcome in the end, even if its installation is deleted meanwhile.
    const missing = page.attempt === 0 ? [] : (page.listed ?? []).filter((id) => !chosen.has(id))
    if (missing.length > 0) tally = fail(tally, 'the installation has gone meanwhile', missing.length)
  }
  const devices = meant.map(({ device }) => device).filter((device) => typeof device !== 'string')
  return { devices: devices.filter(isLeft), tally }
}

/** The devices of a retried page were counted in its first attempt. */
function counted({ attempt, tally }: Page, devices: number): Tally {
  return attempt === 0 ? { ...tally, devices } : tally
}

function namedDevices({ deviceType, profile, vendor }: DevicesTarget, tokens: readonly string[]): Device[] {
  const data = { deviceType, deviceProfile: profile, vendor }
  return tokens.map((token) => {
    const known = { ...data, deviceToken: token, registrationId: token, installationId: token }
    // An explicitly requested vendor is not replaced by the built-in push channel.
    return deviceOf(token, known, vendor !== null) as Device
  })
}
