import type { DevicePush, DevicePushes } from '../../messaging/device-pushes.ts'
import { deviceOf } from '../device.ts'
import { bindClient, channelOf, unbindClient } from '../installations/client-channels.ts'
import { targetsAfter } from '../installations/targets.ts'
import type { Push } from '../push.ts'
import type { PushRequest, PushTarget } from '../push-request.ts'
import { createPush } from './create-push.ts'
import { PAGE_SIZE } from './deliver-page.ts'

/**
 * Returns the pushes that messaging sends: to installations whose channels contain client ids (protocol/push, Life of an
 * installation).
 */
export function clientPushes(push: Push): DevicePushes {
  return {
    async toClients(clientIds, devicePush) {
      const target = { kind: 'where', where: {}, channels: clientIds.map(channelOf) } as const
      for (let after: string | null = ''; after !== null; ) {
        const { installations, until } = await targetsAfter(push, target, after, PAGE_SIZE)
        const { hasVendors } = push.providers
        const ids = installations.flatMap(({ id, data }) => {
          const device = deviceOf(id, data, hasVendors)
          // The built-in push channel uses the messaging connection, so a device that is offline there cannot be reached by it
          // (protocol/push, Vendor channels).
          return typeof device === 'string' || device.channel === 'own' ? [] : [id]
        })
        // Most clients have no device that can be reached; in that case no push is stored.
        if (ids.length > 0) await createPush(push, requestOf(devicePush, { kind: 'absent', ids }), 'rtm')
        after = until
      }
    },
    bind: (clientId, deviceId) => bindClient(push, clientId, deviceId),
    unbind: (clientId, deviceId) => unbindClient(push, clientId, deviceId),
    async toEveryone(devicePush) {
      await createPush(push, requestOf(devicePush, { kind: 'where', where: {}, channels: [] }), 'rtm')
    },
  }
}

function requestOf({ data, prod, expiresAt }: DevicePush, target: PushTarget): PushRequest {
  const nothing = { pushAt: null, notificationId: null, reqId: null, topic: null, teamId: null, flowControl: null }
  return { ...nothing, data, target, prod, expiresAt }
}
