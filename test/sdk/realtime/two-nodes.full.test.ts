import { describe, expect, it } from 'vitest'
import { ADMIN_TOKEN, makeInstallation } from '../../support/nodes.ts'
import { redisServer } from '../../support/redis.ts'
import { conversations } from './suite/conversations.ts'
import { environmentOn } from './suite/environment.ts'
import { management } from './suite/management.ts'
import { messages } from './suite/messages.ts'
import { session } from './suite/session.ts'
import { typedMessages } from './suite/typed-messages.ts'

/** Their results must not depend on the server a client is connected to. */
const suites = { conversations, messages, management, typedMessages, session }

interface Inside {
  readonly _connection: { readonly _ws: { readonly url: string } }
}

if (redisServer === null) it.skip('the suites on two nodes require Redis, which is not installed')
else {
  const { startNode, makeApp } = await makeInstallation()
  const [first, second] = [await startNode(), await startNode()]
  const makePlace = async () => environmentOn(await makeApp(first), [first.url, second.url], ADMIN_TOKEN)

  for (const [name, suite] of Object.entries(suites)) {
    const place = await makePlace()
    describe(`${name}, each client on another node than the one before`, () => suite(place))
  }

  const { logIn } = await makePlace()
  it('clients that log in one after the other connect to different nodes', async () => {
    const clients = [await logIn('tom'), await logIn('jerry')]
    const addresses = clients.map((client) => (client as object as Inside)._connection._ws.url)
    expect(addresses).toEqual([second, first].map(({ url }) => `${url.replace('http', 'ws')}/`))
  })
}
