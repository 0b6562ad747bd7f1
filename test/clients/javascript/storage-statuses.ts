import type { StorageCase } from './storage-cases.ts'

export const STATUS_CASES: readonly StorageCase[] = [
  {
    name: 'a status reaches the followers, who read it in pages, count it and have it taken back',
    run: async (AV) => {
      const ann = await AV.User.signUp('tells', 'secret')
      const bo = await AV.User.signUp('listens', 'secret')
      await bo.follow(ann.id)
      await AV.User.logIn('tells', 'secret')
      const texts = ['one', 'two', 'three']
      const sent = []
      for (const text of texts) sent.push(await AV.Status.sendStatusToFollowers(new AV.Status(null, text)))
      await sent[1].destroy()
      const published = await AV.Status.statusQuery(AV.User.current()).ascending('createdAt').find()
      await AV.User.logIn('listens', 'secret')
      const me = AV.User.current()
      const read = await AV.Status.inboxQuery(me, 'default').include('source').find()
      const older = await AV.Status.inboxQuery(me, 'default')
        .maxId(read[0].messageId - 1)
        .find()
      const counts = await AV.Status.countUnreadStatuses(me)
      // biome-ignore lint/suspicious/noExplicitAny: statuses of any version
      const textsOf = (statuses: any[]) => statuses.map((status) => status.get('message'))
      return {
        published: textsOf(published),
        read: textsOf(read),
        older: textsOf(older),
        source: read[0].get('source').get('username'),
        grows: read[0].messageId > read[1].messageId,
        counts,
      }
    },
    expected: {
      published: ['one', 'three'],
      read: ['three', 'one'],
      older: ['one'],
      source: 'tells',
      grows: true,
      counts: { total: 2, unread: 2 },
    },
  },
  {
    name: 'a private status is read by whom it is for alone',
    run: async (AV) => {
      const dan = await AV.User.signUp('dan', 'secret')
      await AV.User.signUp('eve', 'secret')
      const status = await AV.Status.sendPrivateStatus(new AV.Status(null, 'psst'), dan.id)
      await AV.User.logIn('dan', 'secret')
      const read = await AV.Status.inboxQuery(AV.User.current(), 'private').find()
      await AV.User.signUp('fay', 'secret')
      const found = await new AV.Query('_Status').equalTo('objectId', status.id).find()
      // biome-ignore lint/suspicious/noExplicitAny: statuses of any version
      return [read.map((one: any) => one.get('message')), found.length]
    },
    expected: [['psst'], 0],
  },
]
