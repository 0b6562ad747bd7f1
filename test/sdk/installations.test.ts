import AV from 'leancloud-storage'
import { describe, expect, it } from 'vitest'
import { makeSdkApp, stored } from '../support/sdk.ts'

await makeSdkApp()

const MASTER = { useMasterKey: true }

describe('AV.Installation', () => {
  it('is saved, read and changed', async () => {
    const installation = new AV.Installation()
    const fields = { deviceType: 'ios', deviceToken: 'c1'.repeat(32), timeZone: 'Asia/Shanghai', channels: ['news'] }
    await installation.save(fields)
    expect(installation.id).toEqual(expect.any(String))
    const { deviceToken, ...others } = fields
    const shown = (await stored(installation)).toJSON()
    expect(shown).toMatchObject({ ...others, valid: true, badge: 0 })
    expect(shown).not.toHaveProperty('deviceToken')
    // A client does not remove values it has not received.
    await installation.fetch()
    await installation.save({ level: 1 })
    expect((await stored(installation, MASTER)).get('deviceToken')).toBe(deviceToken)
    installation.addUnique('channels', 'chess')
    installation.increment('badge')
    await installation.save()
    installation.remove('channels', 'news')
    await installation.save()
    expect((await stored(installation)).toJSON()).toMatchObject({ channels: ['chess'], badge: 1 })
  })

  it('of a known device is the same object', async () => {
    const first = await new AV.Installation().save({ deviceType: 'android', installationId: 'phone', level: 1 })
    const second = await new AV.Installation().save(
      { deviceType: 'android', installationId: 'phone' },
      { fetchWhenSave: true },
    )
    expect(second.id).toBe(first.id)
    expect(second.createdAt).toEqual(first.createdAt)
    expect((await stored(second)).get('level')).toBe(1)
  })

  it('of several devices are saved concurrently', async () => {
    const devices = ['one', 'two', 'one'].map((installationId) => {
      const device = new AV.Installation()
      device.set('installationId', installationId)
      return device
    })
    await AV.Object.saveAll(devices)
    expect(devices[0]!.id).toBe(devices[2]!.id)
    expect(devices[1]!.id).not.toBe(devices[0]!.id)
  })

  it('can be found and deleted only with the master key', async () => {
    const installation = await new AV.Installation().save({ installationId: 'found' })
    const query = () => new AV.Query(AV.Installation).equalTo('installationId', 'found')
    await expect(query().find()).rejects.toMatchObject({ code: 403 })
    expect((await query().find(MASTER)).map(({ id }) => id)).toEqual([installation.id])
    await expect(installation.destroy()).rejects.toMatchObject({ code: 403 })
    await installation.destroy(MASTER)
    expect(await query().count(MASTER)).toBe(0)
  })

  it('can be referenced by a user', async () => {
    const installation = await new AV.Installation().save({ installationId: 'of a user' })
    const user = await new AV.User().signUp({ username: 'owner', password: 'secret', installation })
    const query = new AV.Query('_User').include('installation').equalTo('objectId', user.id)
    const [found] = await query.find(MASTER)
    expect(found!.get('installation').get('installationId')).toBe('of a user')
  })

  it('with a bad channel or token is rejected', async () => {
    await expect(new AV.Installation().save({ channels: ['a b'] })).rejects.toMatchObject({ code: 112 })
    await expect(new AV.Installation().save({ deviceType: 'ios', deviceToken: 'a b' })).rejects.toMatchObject({
      code: 114,
    })
  })
})
