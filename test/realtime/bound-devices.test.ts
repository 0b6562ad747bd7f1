import { expect, it } from 'vitest'
import { makeApp } from '../support/app.ts'
import { connect } from '../support/raw-connection.ts'

const app = await makeApp()

const BOUND = 0xbf

/** Creates a device, and returns a function that reads its channels. */
async function makeDevice(fields: object): Promise<{ channels: () => Promise<readonly string[]> }> {
  const { body } = await app.request('POST', '/1.1/installations', { body: fields })
  return {
    channels: async () => (await app.request('GET', `/1.1/installations/${body.objectId}`)).body.channels ?? [],
  }
}

it('a client with the option is in the channels of its device from login to logout', async () => {
  const device = await makeDevice({ deviceType: 'android', installationId: 'android-1' })
  const connection = await connect(app)
  await connection.open('tom', { configBitmap: BOUND, deviceId: 'android-1' })
  await expect.poll(device.channels).toEqual(['tom'])
  await connection.request({ cmd: 'session', op: 'close', peerId: 'tom' })
  await expect.poll(device.channels).toEqual([])
})

it('a lost connection is not a logout', async () => {
  const device = await makeDevice({ deviceType: 'android', installationId: 'android-2' })
  const connection = await connect(app)
  await connection.open('tom', { configBitmap: BOUND, deviceId: 'android-2' })
  await expect.poll(device.channels).toEqual(['tom'])
  connection.drop()
  const other = await connect(app)
  await other.open('jerry', { configBitmap: BOUND, deviceId: 'android-2' })
  await expect.poll(device.channels).toEqual(['tom', 'jerry'])
})

it('a client without the option is not', async () => {
  const device = await makeDevice({ deviceType: 'android', installationId: 'android-3' })
  const connection = await connect(app)
  await connection.open('tom', { configBitmap: 0xbb, deviceId: 'android-3' })
  await connection.open('jerry', { configBitmap: BOUND, deviceId: 'android-3' })
  await expect.poll(device.channels).toEqual(['jerry'])
})

it('a device token binds its device, also one reported later', async () => {
  const [token, next] = ['a1'.repeat(32), 'b2'.repeat(32)]
  const [first, second] = [
    await makeDevice({ deviceType: 'ios', deviceToken: token }),
    await makeDevice({ deviceType: 'ios', deviceToken: next }),
  ]
  const connection = await connect(app)
  await connection.open('tom', { configBitmap: 0xbb, deviceToken: token })
  await expect.poll(first.channels).toEqual(['tom'])
  await connection.request({ cmd: 'report', op: 'upload', peerId: 'tom', reportMessage: { type: 'token', data: next } })
  await expect.poll(second.channels).toEqual(['tom'])
})
