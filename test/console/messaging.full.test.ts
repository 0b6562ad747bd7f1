import { describe, expect, it, onTestFinished } from 'vitest'
import { accessibilityFaults } from '../support/accessibility.ts'
import { makeApp } from '../support/app.ts'
import { chromium } from '../support/browser.ts'
import { consoleTests, FETCHED, widthOf } from '../support/console.ts'
import { devicesOf, nextEvent } from '../support/realtime.ts'

const visit = consoleTests()
const app = await makeApp()
const HOSTILE = '<img src=x onerror="document.title=1"><script>document.title=2</script>'

const pages = `/console/apps/${app.appId}/messaging`
const rtm = async (method: string, path: string, body?: object) => {
  const reply = await app.request(method, `/1.2/rtm/${path}`, { master: true, ...(body && { body }) })
  expect(reply.status, JSON.stringify(reply.body)).toBeLessThan(300)
  return reply.body
}
const say = (convId: string, from: string, message: string) =>
  rtm('POST', `conversations/${convId}/messages`, { from_client: from, message })

describe.skipIf(chromium === null)('messaging in the console', () => {
  it('shows a chat live: client messages appear, and messages and recalls from the console reach clients', async () => {
    const device = devicesOf(app, onTestFinished)
    const hers = device()
    const [alice, bob] = await Promise.all([hers.logIn('alice'), device().logIn('bob')])
    const chat = await alice.createConversation({ members: ['bob'], name: `tea ${HOSTILE}` })
    const page = await visit()
    await page.goto(`${pages}/conversations/${chat.id}`)
    await page.getByText('No messages yet').waitFor()
    await page.getByRole('heading', { name: HOSTILE }).waitFor()

    await chat.send(new hers.sdk.TextMessage(`hello ${HOSTILE}`))
    const said = page.getByRole('article', { name: 'Message from alice' })
    await said.getByText(`hello ${HOSTILE}`).waitFor()
    await say(chat.id, 'bob', 'good morning')
    await page.getByRole('article', { name: 'Message from bob' }).getByText('good morning').waitFor()

    const heard = nextEvent<[{ from: string; getText(): string }]>(bob, 'message', ({ from }) => from === 'system')
    await page.getByLabel('Message', { exact: true }).fill('The tea house closes at six')
    await page.keyboard.press('Enter')
    expect((await heard)[0].getText()).toBe('The tea house closes at six')

    const recalled = nextEvent(bob, 'messagerecall')
    await page.getByRole('button', { name: 'Actions for the message from alice' }).click()
    await page.getByRole('menuitem', { name: 'Recall' }).click()
    await recalled
    await said.getByText('This message was recalled.').waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
  })

  it('changes members, roles and silences, and kicks a client', async () => {
    const client = await devicesOf(app, onTestFinished)().logIn('carol')
    const chat = await client.createConversation({ members: ['dave', 'erin'], name: 'garden' })
    const page = await visit()
    await page.goto(`${pages}/conversations/${chat.id}?tab=members`)
    await page.getByRole('row', { name: /carol/ }).getByText('online').waitFor()

    await page.getByLabel('Client ID').fill('frank')
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByRole('link', { name: 'frank', exact: true }).waitFor()
    await page.getByRole('button', { name: 'Remove dave' }).click()
    await expect.poll(async () => (await rtm('GET', `conversations/${chat.id}/members`)).result).not.toContain('dave')
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(async () => (await rtm('GET', `conversations/${chat.id}/members`)).result).toContain('dave')
    await page.getByLabel('Role of erin').click()
    await page.getByTitle('Manager').click()
    await expect
      .poll(async () => (await rtm('GET', `conversations/${chat.id}/member-infos`)).results)
      .toMatchObject([{ clientId: 'erin', role: 'Manager' }])
    expect(await accessibilityFaults(page)).toEqual([])

    await page.getByText('Moderation').click()
    await page.getByLabel('Client to mute').fill('dave')
    await page.getByRole('button', { name: 'Mute', exact: true }).click()
    await page.getByRole('button', { name: 'Unmute dave' }).waitFor()
    await page.getByLabel('Client to block').fill('mallory')
    await page.getByRole('button', { name: 'Block', exact: true }).click()
    await page.getByRole('button', { name: 'Unblock mallory' }).waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await page.getByRole('button', { name: 'Unmute dave' }).click()
    await page.getByText('No muted members.').waitFor()

    await page.goto(`${pages}/clients?client=carol`)
    await page.getByText('online', { exact: true }).waitFor()
    const kicked = nextEvent<[{ code: number }]>(client, 'close')
    await page.getByLabel('Reason sent to the client').fill('be nice')
    await page.getByRole('button', { name: 'Kick' }).click()
    await kicked
    await page.getByText('offline').waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
  })

  it('lists and kicks online clients page by page; a reader can only view', async () => {
    const crowd = await makeApp()
    const place = `/console/apps/${crowd.appId}/messaging/clients`
    const device = devicesOf(crowd, onTestFinished)()
    const names = Array.from({ length: 51 }, (_, n) => `guest ${String(n).padStart(2, '0')}`)
    const clients = await Promise.all(names.map((name) => device.logIn(name)))
    await device.logIn(HOSTILE.slice(0, 64))
    const page = await visit()
    await page.goto(place)
    const list = page.getByRole('list', { name: 'Online clients' })
    await list.getByText(HOSTILE.slice(0, 64)).waitFor()
    expect(await list.getByRole('listitem').count()).toBe(50)
    // The test server has its own database and no Redis, so it does not know whether it is the only node.
    await page.getByText('Lists only the clients of node').waitFor()
    await page.getByRole('button', { name: 'Show more' }).click()
    await list.getByText('guest 50').waitFor()
    expect(await list.getByRole('listitem').count()).toBe(52)
    expect(await accessibilityFaults(page)).toEqual([])
    const reader = await visit({ role: 'reader', apps: [crowd.appId], locale: 'zh-CN', width: 375, height: 740 })
    await reader.goto(place)
    await reader.getByRole('list', { name: '在线客户端' }).getByText('guest 00').waitFor()
    expect(await reader.getByRole('button', { name: /下线/ }).count()).toBe(0)
    expect(await widthOf(reader)).toBeLessThanOrEqual(375)
    const others = await visit({ role: 'reader', apps: [app.appId] })
    expect((await others.request.get(`/admin/apps/${crowd.appId}/clients`, { headers: FETCHED })).status()).toBe(403)
    const closed = nextEvent<[{ code: number }]>(clients[0]!, 'close')
    await page.getByRole('button', { name: 'Kick guest 00' }).click()
    await page.getByRole('tooltip').getByRole('button', { name: 'Kick' }).click()
    await closed
    await expect.poll(() => list.getByText('guest 00', { exact: true }).count()).toBe(0)
    const { body } = await crowd.admin('GET', '/clients?limit=2&after=guest%2001')
    expect(body).toMatchObject({ clients: ['guest 02', 'guest 03'], isOfAllNodes: false })
    expect(await crowd.admin('GET', '/clients?limit=0')).toMatchObject({ status: 400 })
  })

  it('finds conversations by kind, name and member, page by page, and creates them', async () => {
    for (let n = 0; n < 55; n++) await rtm('POST', 'conversations', { m: [`user ${n}`, 'guide'], name: `tour ${n}` })
    await rtm('POST', 'chatrooms', { name: 'lobby' })
    await rtm('POST', 'service-conversations', { name: 'weather' })
    const page = await visit({ colorScheme: 'dark' })
    await page.goto(`${pages}?member=guide`)
    await page.getByRole('link', { name: 'tour 54' }).waitFor()
    expect(await page.getByRole('link', { name: /^tour/ }).count()).toBe(50)
    await page.getByRole('button', { name: 'Show more' }).click()
    await page.getByRole('link', { name: 'tour 0', exact: true }).waitFor()
    expect(await page.getByRole('link', { name: /^tour/ }).count()).toBe(55)

    await page.getByLabel('Name contains').fill('TOUR 31')
    await page.keyboard.press('Enter')
    await page.waitForURL('**name=TOUR**')
    await expect.poll(() => page.getByRole('link', { name: /^tour/ }).count()).toBe(1)
    await page.goto(`${pages}?kind=room`)
    await page.getByRole('link', { name: 'lobby' }).waitFor()
    expect(await page.getByRole('link', { name: /^(tour|weather)/ }).count()).toBe(0)
    expect(await accessibilityFaults(page)).toEqual([])

    await page.getByRole('button', { name: 'New conversation' }).click()
    await page.getByLabel('Name', { exact: true }).fill('reading circle')
    await page.getByRole('combobox', { name: 'Members' }).fill('gina,hugo,')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('heading', { name: 'reading circle' }).waitFor()
    await page.getByText('Attributes').click()
    await page.getByRole('button', { name: 'Delete conversation' }).click()
    await page.getByLabel('Type reading circle').fill('reading circle')
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.waitForURL(/messaging$/)
  })

  it('a service conversation sends to all subscribers or to one, and a broadcast reaches all clients', async () => {
    const device = devicesOf(app, onTestFinished)
    const [ida, jack] = await Promise.all([device().logIn('ida'), device().logIn('jack')])
    const { objectId: convId } = await rtm('POST', 'service-conversations', { name: 'ferry' })
    await rtm('POST', `service-conversations/${convId}/subscribers`, { client_id: 'ida' })
    const page = await visit()
    await page.goto(`${pages}/conversations/${convId}`)
    const heard = (client: object) => nextEvent<[{ getText(): string }]>(client, 'message')
    const toAll = heard(ida)
    await page.getByLabel('Message', { exact: true }).fill('The ferry is late')
    await page.keyboard.press('Enter')
    expect((await toAll)[0].getText()).toBe('The ferry is late')
    await page.getByRole('article').getByText('The ferry is late').waitFor()

    await page.getByText('Members').click()
    await page.getByRole('link', { name: 'ida', exact: true }).waitFor()
    await page.getByRole('link', { name: 'Show messages', exact: true }).click()
    const toOne = heard(ida)
    await page.getByLabel('Subscribers (empty: all)').fill('ida,')
    await page.getByLabel('Message', { exact: true }).fill('Your seat is 12')
    await page.getByRole('button', { name: 'Send' }).click()
    expect((await toOne)[0].getText()).toBe('Your seat is 12')
    await page.getByRole('article').getByText('to ida').waitFor()
    expect(await accessibilityFaults(page)).toEqual([])

    await page.goto(pages)
    const everybody = heard(jack)
    await page.getByRole('button', { name: 'Broadcast' }).click()
    await page.getByLabel('System conversation').click()
    await page.getByTitle(/^ferry/).click()
    await page.getByRole('dialog').getByLabel('Message').fill('All harbours are closed')
    await page.getByRole('button', { name: 'Send to all' }).click()
    expect((await everybody)[0].getText()).toBe('All harbours are closed')
  })

  it('a reader can view but not change, in Chinese and on a narrow screen', async () => {
    const { objectId: convId } = await rtm('POST', 'conversations', { m: ['kim', 'leo'], name: 'quiet' })
    await say(
      convId,
      'kim',
      JSON.stringify({ _lctype: -5, _lcloc: { latitude: 30, longitude: 120 }, _lctext: HOSTILE }),
    )
    await say(convId, 'leo', JSON.stringify({ _lctype: -2, _lcfile: { url: 'javascript:alert(1)' } }))
    const page = await visit({ role: 'reader', apps: [app.appId], locale: 'zh-CN', width: 375, height: 740 })
    await page.goto(`${pages}/conversations/${convId}`)
    await page.getByText('纬度 30，经度 120').waitFor()
    await page.getByText(HOSTILE).waitFor()
    expect(await page.getByRole('link', { name: '图片' }).count()).toBe(0)
    expect(await page.getByRole('button', { name: '发送' }).count()).toBe(0)
    expect(await page.getByRole('button', { name: /的消息的操作/ }).count()).toBe(0)
    for (const tab of ['messages', 'members', 'moderation', 'attributes']) {
      await page.goto(`${pages}/conversations/${convId}?tab=${tab}`)
      await page.getByRole('heading', { name: 'quiet' }).waitFor()
      expect(await widthOf(page)).toBeLessThanOrEqual(375)
    }
    expect(await page.getByRole('button', { name: /删除|保存|禁言|黑名单|添加/ }).count()).toBe(0)
    const refused = await page.evaluate(`fetch('/admin/me').then((answer) => answer.json()).then(({ csrfToken }) =>
      fetch('/admin/apps/${app.appId}/api/1.2/rtm/clients/kim/kick', {
        method: 'POST', headers: { 'x-csrf-token': csrfToken, 'content-type': 'application/json' }, body: '{}' }))
      .then(({ status }) => status)`)
    expect(refused).toBe(403)
  })
})
