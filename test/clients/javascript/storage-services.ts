import type { StorageCase } from './storage-cases.ts'

export const SERVICE_CASES: readonly StorageCase[] = [
  {
    name: 'a file record for a URL is saved, read and pointed to',
    run: async (AV) => {
      const url = 'https://files.example.org/cat.png'
      const file = AV.File.withURL('cat.png', url, { color: 'black' })
      await file.save()
      const owner = new AV.Object('Picture')
      await owner.save({ file })
      const read = await new AV.Query('Picture').get(owner.id)
      const picture = read.get('file')
      const record = await AV.File.createWithoutData(file.id).fetch()
      return [
        picture instanceof AV.File,
        picture.id === file.id,
        picture.url(),
        picture.name(),
        record.url(),
        record.metaData('color') ?? record.metaData().color,
      ]
    },
    expected: [
      true,
      true,
      'https://files.example.org/cat.png',
      'cat.png',
      'https://files.example.org/cat.png',
      'black',
    ],
  },
  {
    name: 'an installation is saved, and the same device stays one',
    run: async (AV, _, { codeOf }) => {
      const save = async (fields: object) => {
        const installation = new AV.Installation()
        await installation.save(fields)
        return installation
      }
      const device = { deviceType: 'android', installationId: 'a-phone', channels: ['news'] }
      const first = await save(device)
      const again = await save({ ...device, timeZone: 'Asia/Shanghai' })
      const wrong = await codeOf(save({ deviceType: 'android', installationId: 'b-phone', channels: ['a b'] }))
      return [typeof first.id, again.id === first.id, wrong]
    },
    expected: ['string', true, 112],
  },
  {
    name: 'a push by a client is refused with 403',
    run: (AV, _, { codeOf }) => codeOf(AV.Push.send({ channels: ['news'], data: { alert: 'Hello' } })),
    expected: 403,
  },
  {
    name: 'functions are called, with plain values and with objects, and fail with code and text',
    run: async (AV, _, { refusalOf }) => {
      const object = new AV.Object('Argument')
      await object.save({ n: 1 })
      const refused = async (name: string, params: object) => {
        const { code, message } = (await refusalOf(AV.Cloud.run(name, params))) ?? {}
        return [code, message?.replace(/ \[\d+ POST .*\]$/, '')]
      }
      const echoed = await AV.Cloud.run('echo', { a: [1, { b: 'c' }], none: null })
      const rpc = await AV.Cloud.rpc('same', { object })
      return {
        echoed,
        rpc: [rpc instanceof AV.Object, rpc.id === object.id, rpc.get('n')],
        none: (await AV.Cloud.run('nothing')) ?? null,
        refused: await refused('refuse', {}),
        code: await refused('refuse', { code: 4711 }),
        unknown: await refused('absent', {}),
        date: Math.abs(Number(await AV.Cloud.getServerDate()) - Date.now()) < 600_000,
      }
    },
    expected: {
      echoed: { a: [1, { b: 'c' }], none: null },
      rpc: [true, true, 1],
      none: null,
      refused: [1, 'Not for you'],
      code: [4711, 'Not for you'],
      unknown: [1, "No such cloud function 'absent'"],
      date: true,
    },
  },
  {
    name: 'a live query tells what becomes of the objects that it asks for',
    since: 3,
    run: async (AV) => {
      const live = await new AV.Query('Live').equalTo('state', 'open').subscribe()
      const heard: [string, unknown, unknown][] = []
      const ended = new Promise<void>((resolve) => {
        for (const event of ['create', 'update', 'enter', 'leave', 'delete']) {
          live.on(event, (object: { get(key: string): unknown }, keys?: string[]) => {
            heard.push([event, object.get('state'), keys ?? null])
            if (event === 'delete') resolve()
          })
        }
      })
      const object = new AV.Object('Live')
      await object.save({ state: 'open', n: 1 })
      await object.save({ n: 2 })
      await object.save({ state: 'done' })
      await object.save({ state: 'open' })
      await object.destroy()
      await ended
      await live.unsubscribe()
      return heard
    },
    expected: [
      ['create', 'open', null],
      ['update', 'open', ['n']],
      ['leave', 'done', ['state']],
      ['enter', 'open', ['state']],
      ['delete', 'open', null],
    ],
  },
]
