import { giveRole } from '../../messaging/members/roles.ts'
import { conversationMembers } from '../rates.ts'
import { command } from './command.ts'

/** conv/member_info_update — sets the role of a member, for the owner (protocol/realtime, Member roles). */
export const changeRole = command({
  cmd: 'conv',
  op: 'member_info_update',
  rate: 'operations',
  notifies: conversationMembers,
  answered: true,
  async handler(session, { convMessage = {} }) {
    const { cid = '', targetClientId = '', info = {} } = convMessage
    const given = await giveRole(session.messaging, session, cid, info.pid || targetClientId, info.role ?? '')
    return {
      cmd: 'conv',
      op: 'member_info_updated',
      convMessage: {
        cid,
        udate: given.updatedAt,
        info: { pid: given.clientId, role: given.role, infoId: given.infoId },
      },
    }
  },
})
