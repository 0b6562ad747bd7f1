import { bindDevice } from '../bound-device.ts'
import { claimTag } from '../tags.ts'
import type { Perform } from './perform.ts'
import { MAX_DEVICE_LENGTH } from './session-open.ts'

/** report/upload — the device has got another push token (protocol/realtime, Other session commands). */
export const uploadReport: Perform = async (session, { reportMessage = {} }) => {
  const { type, data } = reportMessage
  if (type === 'token' && data && data.length <= MAX_DEVICE_LENGTH) {
    session.changeDevice(data)
    await claimTag(session)
    bindDevice(session)
  }
  return { cmd: 'report', op: 'uploaded' }
}
