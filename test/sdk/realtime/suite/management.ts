import { describe, expect, it } from 'vitest'
import { type Conversation, type IMClient, nextEvent } from '../../../support/realtime.ts'
import type { SuiteEnvironment } from './environment.ts'

const outcome = (ids: readonly string[]) => expect.objectContaining({ successfulClientIds: ids, failures: [] })

/** Declares the tests of member roles and management permissions. */
export function management({ app, newDevice }: SuiteEnvironment): void {
  let count = 0

  /** Creates a conversation of four members, three of them online. */
  async function makeGroup() {
    const name = (who: string) => `${who} ${count}`
    count++
    const device = newDevice()
    const other = newDevice()
    const [owner, target, member] = [
      await device.logIn(name('owner')),
      await other.logIn(name('target')),
      await newDevice().logIn(name('member')),
    ]
    const conversation = (await owner.createConversation({
      members: [target.id, member.id, name('away')],
      unique: false,
    })) as Conversation
    const as = async (client: IMClient) => (await client.getConversation(conversation.id)) as Conversation
    return {
      owner,
      target,
      member,
      conversation,
      away: name('away'),
      ofTarget: await as(target),
      ofMember: await as(member),
      text: (words: string) => new other.sdk.TextMessage(words),
      Role: device.sdk.ConversationMemberRole,
    }
  }

  describe('roles', () => {
    it('can be set only by the owner', async () => {
      const { ofMember, member, Role } = await makeGroup()
      await expect(ofMember.updateMemberRole(member.id, Role.MANAGER)).rejects.toThrow(
        'CONVERSATION_OPERATION_UNAUTHORIZED',
      )
    })

    it('default to owner and plain members', async () => {
      const { conversation, owner, Role } = await makeGroup()
      const infos = await conversation.getAllMemberInfo({})
      expect(infos).toHaveLength(4)
      for (const info of infos) {
        expect(info.role).toBe(info.memberId === owner.id ? Role.OWNER : Role.MEMBER)
        expect(info.isOwner).toBe(info.memberId === owner.id)
      }
    })

    it('are listed, and their changes notify the member', async () => {
      const { conversation, owner, target, ofTarget, Role } = await makeGroup()
      type Told = [{ member: string; updatedBy: string; memberInfo: { role: unknown } }]
      const told = nextEvent<Told>(target, 'memberinfoupdated')
      await conversation.updateMemberRole(target.id, Role.MANAGER)
      expect((await told)[0]).toMatchObject({
        member: target.id,
        updatedBy: owner.id,
        memberInfo: { role: Role.MANAGER },
      })
      const infos = await ofTarget.getAllMemberInfo({ noCache: true })
      expect(infos.find(({ memberId }) => memberId === target.id)!.role).toBe(Role.MANAGER)
      const one = await ofTarget.getMemberInfo(target.id)
      expect(one.role).toBe(Role.MANAGER)
    })

    it('are listed only for clients with a token', async () => {
      const { conversation } = await makeGroup()
      const query = { where: JSON.stringify({ cid: conversation.id }), client_id: 'anybody' }
      const headers = { 'x-lc-im-session-token': 'made up' }
      const reply = await app.request('GET', '/1.1/classes/_ConversationMemberInfo', { query, headers })
      expect(reply).toMatchObject({ status: 401, body: { code: 401 } })
    })
  })

  describe('the owner', () => {
    it('cannot leave while other members remain', async () => {
      const { conversation } = await makeGroup()
      await expect(conversation.quit()).rejects.toThrow('CONVERSATION_NEED_OWNER')
    })

    it('is not removed together with others', async () => {
      const { conversation, owner, away } = await makeGroup()
      const { successfulClientIds, failures } = await conversation.remove([owner.id, away])
      expect(successfulClientIds).toEqual([away])
      expect(failures).toMatchObject([{ message: 'CONVERSATION_NEED_OWNER', clientIds: [owner.id] }])
    })
  })

  describe('muting a member', () => {
    it('notifies it and the others, and lasts until it is unmuted', async () => {
      const { conversation, owner, target, ofTarget, ofMember, text } = await makeGroup()
      const muted = nextEvent<[{ mutedBy: string }]>(target, 'muted')
      const others = nextEvent<[{ members: string[]; mutedBy: string }]>(owner, 'membersmuted')
      expect(await conversation.muteMembers([target.id])).toEqual(outcome([target.id]))
      expect((await muted)[0]).toEqual({ mutedBy: owner.id })
      expect((await others)[0]).toEqual({ members: [target.id], mutedBy: owner.id })
      expect((await ofMember.queryMutedMembers()).results).toEqual([target.id])
      await expect(ofTarget.send(text('hello?'))).rejects.toMatchObject({ code: 4563 })
      await expect(ofTarget.unmuteMembers([target.id])).rejects.toMatchObject({ code: 4320 })

      const unmuted = nextEvent<[{ members: string[]; unmutedBy: string }]>(target, 'membersunmuted')
      expect(await conversation.unmuteMembers([target.id])).toEqual(outcome([target.id]))
      expect((await unmuted)[0]).toEqual({ members: [target.id], unmutedBy: owner.id })
      await ofTarget.send(text('hello!'))
    })
  })

  describe('blocking a member', () => {
    it('removes it and prevents it from joining until unblocked', async () => {
      const { conversation, owner, target, ofTarget } = await makeGroup()
      const told = Promise.all([
        nextEvent<[{ blockedBy: string }]>(target, 'blocked'),
        nextEvent<[{ kickedBy: string }]>(target, 'kicked'),
        nextEvent<[{ members: string[]; blockedBy: string }]>(owner, 'membersblocked'),
        nextEvent<[{ members: string[]; kickedBy: string }]>(owner, 'membersleft'),
      ])
      expect(await conversation.blockMembers([target.id])).toEqual(outcome([target.id]))
      expect((await told).map(([payload]) => payload)).toEqual([
        { blockedBy: owner.id },
        { kickedBy: owner.id },
        { members: [target.id], blockedBy: owner.id },
        { members: [target.id], kickedBy: owner.id },
      ])
      expect((await conversation.queryBlockedMembers()).results).toEqual([target.id])
      await expect(ofTarget.unblockMembers([target.id])).rejects.toThrow()
      await expect(ofTarget.join()).rejects.toMatchObject({ code: 4548 })

      const unblocked = nextEvent<[{ members: string[]; unblockedBy: string }]>(owner, 'membersunblocked')
      expect(await conversation.unblockMembers([target.id])).toEqual(outcome([target.id]))
      expect((await unblocked)[0]).toEqual({ members: [target.id], unblockedBy: owner.id })
      await ofTarget.join()
    })
  })
}
