// Two clients exchange messages through the official SDK, in a process that trusts the certificate of NODE_EXTRA_CA_CERTS.
import realtime from 'leancloud-realtime'

const [, , server, appId, appKey] = process.argv
const { Event, Realtime, TextMessage } = realtime
const client = new Realtime({ appId, appKey, server })
const tom = await client.createIMClient('Tom')
const jerry = await client.createIMClient('Jerry')
const heard = new Promise((resolve) => jerry.on(Event.MESSAGE, (message) => resolve(message.text)))
const conversation = await tom.createConversation({ members: ['Jerry'] })
await conversation.send(new TextMessage('hello over TLS'))
process.stdout.write(await heard)
await Promise.all([tom.close(), jerry.close()])
process.exit(0)
