import { decode, encode } from '../../src/realtime-protocol/codec.ts'
import { inChunks } from '../messaging/client.ts'
import { type ClientSocket, connect } from '../messaging/client-socket.ts'

/** A device with its push connection. */
export interface OnlineDevice {
  readonly installationId: string
  readonly socket: ClientSocket
}

/**
 * Connects devices.
 * @param onPush called with each received push
 */
export function connectDevices(
  { url, appId }: { readonly url: string; readonly appId: string },
  count: number,
  onPush: (pushId: string, installationId: string) => void,
): Promise<OnlineDevice[]> {
  return inChunks(count, async (n) => {
    const installationId = `online-${n}`
    const socket = await connect(url, 'lc.protobuf2.3')
    await new Promise<void>((resolve) => {
      socket.onFrame = (payload) => {
        const { cmd, dataMessage } = decode(payload, 'protobuf')
        if (cmd === 'loggedin') resolve()
        const ids = dataMessage?.ids ?? []
        for (const id of ids) onPush(id, installationId)
        if (ids.length === 0) return
        socket.send(encode({ cmd: 'ack', appId, installationId, ackMessage: { ids } }, 'protobuf'))
      }
      socket.send(encode({ cmd: 'login', appId, installationId }, 'protobuf'))
    })
    return { installationId, socket }
  })
}
