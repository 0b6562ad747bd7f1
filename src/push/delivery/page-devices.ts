import { type Device, deviceOf } from '../device.ts'
import type { Installation } from '../installations/targets.ts'
import type { DevicesTarget } from '../push-request.ts'
import type { Page, StartedPush } from './pages.ts'
import { fail, type Tally } from './tally.ts'

/** The devices of a page, and what is known of its outcome before any of them is sent to. */
export interface PageDevices {
  readonly devices: readonly Device[]
  readonly tally: Tally
}

/**
 * The devices that a page is for and that are still to be sent to. Whoever was chosen is counted, once, with what it
 * cannot be reached for.
 * @param installations those of the page that are there now
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
  // The own connection is that of messaging: who is absent there is absent here (protocol/push, Vendor channels).
  const isAbsent = (device: Device | string) => typeof device !== 'string' && device.channel === 'own'
  const meant = target.kind === 'absent' ? found.filter(({ device }) => !isAbsent(device)) : found
  // Some that were handled before may have gone meanwhile: they were chosen all the same.
  const chosen = new Set([...page.handled, ...meant.map(({ id }) => id)])
  let tally = counted(page, chosen.size)
  // What is noted of a page already holds these failures.
  if (page.handled.size === 0) {
    for (const { device } of meant) if (typeof device === 'string') tally = fail(tally, device)
    // Each chosen device has an outcome in the end, whatever becomes of its installation until then.
    const missing = page.attempt === 0 ? [] : (page.listed ?? []).filter((id) => !chosen.has(id))
    if (missing.length > 0) tally = fail(tally, 'the installation has gone meanwhile', missing.length)
  }
  const devices = meant.map(({ device }) => device).filter((device) => typeof device !== 'string')
  return { devices: devices.filter(isLeft), tally }
}

/** Devices of a page that is tried again were counted with it. */
function counted({ attempt, tally }: Page, devices: number): Tally {
  return attempt === 0 ? { ...tally, devices } : tally
}

function namedDevices({ deviceType, profile, vendor }: DevicesTarget, tokens: readonly string[]): Device[] {
  const data = { deviceType, deviceProfile: profile, vendor }
  return tokens.map((token) => {
    const known = { ...data, deviceToken: token, registrationId: token, installationId: token }
    // A vendor that was asked for is not replaced by the own channel.
    return deviceOf(token, known, vendor !== null) as Device
  })
}
