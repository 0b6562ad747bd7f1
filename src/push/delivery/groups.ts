import type { Device } from '../device.ts'
import type { Channel } from '../providers/all.ts'
import type { PushRequest } from '../push-request.ts'

/** Devices that get the same notification from the same provider. */
export interface Group {
  readonly channel: Channel
  readonly profile: string | null
  readonly pushChannel: string | null
  readonly devices: Device[]
}

/** Groups the devices of a push by provider, profile and the push channel that selected them, if any. */
export function groupsOf(devices: readonly Device[], { target, topic, teamId }: PushRequest): Group[] {
  const channels = target.kind === 'where' ? target.channels : []
  const byKey = new Map<string, Group>()
  for (const found of devices) {
    const device = { ...found, topic: topic ?? found.topic, teamId: teamId ?? found.teamId }
    const { channel, profile, pushChannels } = device
    const pushChannel = channels.find((name) => pushChannels.includes(name)) ?? null
    const key = JSON.stringify([channel, profile, pushChannel])
    const group = byKey.get(key) ?? { channel, profile, pushChannel, devices: [] }
    group.devices.push(device)
    byKey.set(key, group)
  }
  return [...byKey.values()]
}
