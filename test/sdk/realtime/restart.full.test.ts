import { expect, it, onTestFinished, vi } from 'vitest'
import { freePort } from '../../support/free-port.ts'
import { makeHome } from '../../support/home.ts'
import { type Conversation, devicesOf, nextEvent } from '../../support/realtime.ts'
import { newDatabase } from '../../support/scratch-database.ts'

const app = { appId: 'restarts', appKey: 'restarts-app-key' }
const environment = {
  HOMEPORT_APP_ID: app.appId,
  HOMEPORT_APP_KEY: app.appKey,
  HOMEPORT_MASTER_KEY: 'restarts-master-key',
}
const options = ['--database-url', await newDatabase(), '--port', String(await freePort())]

// The package doubles the delay between its connection attempts.
vi.setConfig({ testTimeout: 120_000 })

it.each([
  ['stops', 'stop'],
  ['dies', 'kill'],
] as const)('clients reconnect automatically when the server %s and restarts', async (_, end) => {
  const home = makeHome(onTestFinished)
  const server = await home.start(options, environment)
  const newDevice = devicesOf({ ...app, url: server.url }, onTestFinished)
  const [first, second] = [newDevice(), newDevice()]
  const [tom, jerry] = [await first.logIn(`tom ${end}`), await second.logIn(`jerry ${end}`)]
  // Its query after the invitation must have completed: the package waits long for a lost response.
  const invited = [tom, jerry].flatMap((client) => [nextEvent(client, 'invited'), nextEvent(client, 'membersjoined')])
  const conversation = await tom.createConversation({ members: [jerry.id] })
  await Promise.all(invited)

  const back = [tom, jerry].map((client) => nextEvent(client, 'reconnect'))
  await server[end]()
  await home.start(options, environment)
  await Promise.all(back)

  const arriving = nextEvent<[{ text: string }]>(jerry, 'message')
  await (conversation as Conversation).send(new first.sdk.TextMessage('here again'))
  expect((await arriving)[0].text).toBe('here again')
})
