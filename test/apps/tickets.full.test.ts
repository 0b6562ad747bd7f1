import { readFile } from 'node:fs/promises'
import AV from 'leancloud-storage'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeApp } from '../support/app.ts'
import { startEngine } from '../support/engine-process.ts'
import { homeportClass } from './class-command.ts'

const app = await makeApp()
AV.init({ appId: app.appId, appKey: app.appKey, masterKey: app.masterKey, serverURL: app.url })
await startEngine(app, await readFile(new URL('./cloud-code/tickets.cjs', import.meta.url), 'utf8'), afterAll)

const master = { useMasterKey: true }
const as = (user: AV.User) => ({ user })
const BILLING = { objectId: 'billing', name: 'Billing' }
const users = new Map<string, AV.User>()
const user = (name: string) => users.get(name)!
const signUp = async (name: string) => {
  users.set(name, await AV.User.signUp(name, `password of ${name}`))
  await AV.User.logOut()
  return user(name)
}
const open = (author: AV.User, fields: object) =>
  new AV.Object('Ticket').save({ category: BILLING, ...fields }, as(author))
const read = (ticket: AV.Object, reader: AV.User) => new AV.Query('Ticket').get(ticket.id!, as(reader))
const logged = async (ticket: AV.Object) =>
  (await new AV.Query('OpsLog').equalTo('ticket', ticket).ascending('createdAt').find(master)).map((entry) =>
    entry.get('action'),
  )
const refusedWith = (code: number, text: string) =>
  expect.objectContaining({ code, message: expect.stringContaining(text) })

beforeAll(async () => {
  // The cloud code queries these classes before they have objects.
  for (const name of ['Ticket', 'Vacation', 'TicketStats']) await homeportClass(app, 'create', name)
  await homeportClass(app, 'create', 'OpsLog', '--permission', 'create=master', '--permission', 'update=master')
}, 120_000)

describe('a help desk', { timeout: 120_000 }, () => {
  test('the first registered user becomes the manager and appoints agents', async () => {
    const boss = await signUp('boss')
    const roles = () => new AV.Query(AV.Role).ascending('createdAt').find()
    await expect.poll(async () => (await roles()).map((role) => role.get('name'))).toEqual(['admin', 'agent'])
    const [admin, agents] = (await roles()) as AV.Role[]
    const members = await admin!.getUsers().query().find(master)
    expect(members.map((member) => member.id)).toEqual([boss.id])

    const [ann, bob, cus, eve] = await Promise.all(['ann', 'bob', 'cus', 'eve'].map(signUp))
    await ann!.save({ categories: [BILLING] }, as(ann!))
    agents!.getUsers().add(ann!)
    agents!.getUsers().add(bob!)
    await agents!.save(null, as(boss))
    agents!.getUsers().add(cus!)
    await expect(agents!.save(null, as(eve!))).rejects.toMatchObject({ code: 403 })
    expect((await roles()).map((role) => role.get('name'))).toEqual(['admin', 'agent'])
  })

  test('a ticket is visible to its author and the agents, and is assigned to the agent of its category', async () => {
    const ticket = await open(user('cus'), { title: 'Help', content: 'It does not work' })
    const seen = await read(ticket, user('cus'))
    expect(seen.get('author').id).toBe(user('cus').id)
    expect(seen.get('assignee').id).toBe(user('ann').id)
    expect(seen.get('status')).toBe(50)
    for (const reader of ['ann', 'bob', 'boss']) expect((await read(ticket, user(reader))).id).toBe(ticket.id)
    await expect(read(ticket, user('eve'))).rejects.toMatchObject({ code: 403 })
    expect(await new AV.Query('Ticket').find()).toEqual([])
    await expect.poll(() => logged(ticket)).toEqual(['assign'])
    await expect(new AV.Object('OpsLog').save({ ticket, action: 'forged' }, as(user('eve')))).rejects.toMatchObject({
      code: 403,
    })
  })

  test('hooks reject guests and tickets without a title', async () => {
    await expect(new AV.Object('Ticket').save({ title: 'x', category: BILLING })).rejects.toEqual(
      refusedWith(142, 'Log in first.'),
    )
    await expect(open(user('cus'), { title: ' ' })).rejects.toEqual(refusedWith(142, 'A ticket has a title.'))
    expect(await new AV.Query('Ticket').equalTo('title', ' ').count(master)).toBe(0)
  })

  test('assigns no tickets to an absent agent', async () => {
    const day = 86_400_000
    const vacation = await new AV.Object('Vacation').save(
      { agent: user('ann'), start: new Date(Date.now() - day), end: new Date(Date.now() + day) },
      master,
    )
    const ticket = await open(user('cus'), { title: 'Help again' })
    expect((await read(ticket, user('bob'))).get('assignee').id).toBe(user('bob').id)
    const reassigned = AV.Object.createWithoutData('Ticket', ticket.id!)
    await expect(reassigned.save({ assignee: user('ann') }, as(user('boss')))).rejects.toEqual(
      refusedWith(142, 'This agent is away.'),
    )
    await vacation.destroy(master)
    await AV.Object.createWithoutData('Ticket', ticket.id!).save({ assignee: user('ann') }, as(user('boss')))
    await expect.poll(() => logged(ticket)).toEqual(['assign', 'reassign'])
    const [entry] = await new AV.Query('OpsLog').equalTo('action', 'reassign').find(master)
    expect(entry!.get('data')).toEqual({
      assignee: { objectId: user('ann').id, username: 'ann' },
      operator: { objectId: user('boss').id, username: 'boss' },
    })
  })

  test('counts every concurrent reply and adds each agent once', async () => {
    const ticket = await open(user('cus'), { title: 'Many replies' })
    const reply = (author: AV.User, content: string) =>
      new AV.Object('Reply').save({ ticket: AV.Object.createWithoutData('Ticket', ticket.id!), content }, as(author))
    await Promise.all([
      ...['1', '2', '3', '4'].map((content) => reply(user('ann'), content)),
      ...['5', '6'].map((content) => reply(user('bob'), content)),
      reply(user('cus'), '7'),
    ])
    await expect.poll(async () => (await read(ticket, user('cus'))).get('replyCount')).toBe(7)
    const seen = await read(ticket, user('cus'))
    expect(
      seen
        .get('joined')
        .map((one: { username: string }) => one.username)
        .sort(),
    ).toEqual(['ann', 'bob'])
    expect(seen.get('status')).toBe(160)
    const replies = await new AV.Query('Reply')
      .equalTo('ticket', ticket)
      .ascending('content')
      .find(as(user('cus')))
    expect(replies.map((one) => one.get('byAgent'))).toEqual([true, true, true, true, true, true, false])
    await expect(reply(user('eve'), 'from outside')).rejects.toMatchObject({ code: expect.any(Number) })
    expect(await new AV.Query('Reply').find(as(user('eve')))).toEqual([])
  })

  test('functions run as their caller; clients cannot call internal functions', async () => {
    const ticket = await open(user('cus'), { title: 'To be closed' })
    // Hooks that run after a save can finish after the next save.
    await expect.poll(() => logged(ticket)).toEqual(['assign'])
    const params = { ticketId: ticket.id }
    await expect(AV.Cloud.run('closeTicket', params)).rejects.toEqual(refusedWith(401, 'Log in first.'))
    await expect(AV.Cloud.run('closeTicket', params, as(user('eve')))).rejects.toMatchObject({ code: 403 })
    expect(await AV.Cloud.run('closeTicket', params, as(user('ann')))).toEqual({ closedBy: 'ann' })
    await expect.poll(() => logged(ticket)).toEqual(['assign', 'close'])
    const stats = () => new AV.Query('TicketStats').equalTo('ticket', ticket).find(master)
    await expect.poll(async () => (await stats()).map((one) => one.get('replies'))).toEqual([0])
    await expect(AV.Cloud.run('countTicket', params)).rejects.toMatchObject({ code: expect.any(Number) })
    expect(await stats()).toHaveLength(1)
    expect(await AV.Cloud.run('whoAmI', {}, as(user('ann')))).toEqual({ user: null, hasToken: true })
  })
})
