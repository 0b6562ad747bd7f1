import { bindDevice } from '../bound-device.ts'
import { claimTag } from '../tags.ts'
import { command } from './command.ts'
import { MAX_DEVICE_LENGTH } from './session-open.ts'

/** report/upload — sets the new push token of the device (protocol/realtime, Other session commands). */
export const uploadReport = command({
  cmd: 'report',
  op: 'upload',
  rate: null,
  notifies: null,
  answered: true,
  async handler(session, { reportMessage = {} }) {
    const { type, data } = reportMessage
    if (type === 'token' && data && data.length <= MAX_DEVICE_LENGTH) {
      session.changeDevice(data)
      await claimTag(session)
      bindDevice(session)
    }
    return { cmd: 'report', op: 'uploaded' }
  },
})
