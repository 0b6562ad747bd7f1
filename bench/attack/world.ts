import { Chat } from './chat.ts'
import { honestAddress, type Target } from './target.ts'
import { APP_OF_VICTIM, type Victim } from './victim.ts'

const ITEMS = 1000
const USERS = 32

/**
 * Fills a server with the data of an honest app.
 * @param objects number of objects in its large class
 */
export async function fillWorld(victim: Victim, objects: number): Promise<Omit<Target, 'url' | 'port'>> {
  const ids: string[] = []
  for (let first = 0; first < ITEMS; first += 100) {
    const requests = Array.from({ length: 100 }, (_, n) => ({
      method: 'POST',
      path: '/1.1/classes/Item',
      body: { title: `item ${first + n}`, group: (first + n) % 100, text: 'something to read '.repeat(10) },
    }))
    const answers = await victim.requestAsMaster<{ success: { objectId: string } }[]>('POST', '/1.1/batch', {
      requests,
    })
    ids.push(...answers.map(({ success }) => success.objectId))
  }
  await fillCrowd(victim, objects, ids[0]!)
  const users = Array.from({ length: USERS }, (_, n) => ({ name: `honest-${n}`, password: `password of ${n}` }))
  for (const { name, password } of users) {
    await victim.requestAsMaster('POST', '/1.1/users', { username: name, password })
  }
  const target = {
    ...APP_OF_VICTIM,
    items: { className: 'Item', ids },
    crowd: { className: 'Crowd', objects },
    users,
  }
  return { ...target, conversation: await startConversation(victim, target) }
}

/** Fills the large class: one object defines the field types, the others are copied by SQL for speed. */
async function fillCrowd(victim: Victim, objects: number, item: string): Promise<void> {
  const pointer = { __type: 'Pointer', className: 'Item', objectId: item }
  const place = { __type: 'GeoPoint', latitude: 1, longitude: 1 }
  await victim.requestAsMaster('POST', '/1.1/classes/Crowd', {
    n: 0,
    text: 'object 0',
    tag: 'tag 0',
    place,
    item: pointer,
    list: [1, 2, 3],
  })
  const table = `"app_${APP_OF_VICTIM.appId}"."Crowd"`
  await victim.query(
    `INSERT INTO ${table} (id, created_at, updated_at, acl, readers, writers, data)
     SELECT substr(md5('crowd ' || n), 1, 24), now() - n * interval '1 second', now(), acl, readers, writers,
       data || jsonb_build_object('n', n, 'text', 'object ' || n || ' ' || md5(n::text), 'tag', 'tag ' || n % 1000)
     FROM ${table}, generate_series(1, $1::integer) AS n`,
    [objects],
  )
  await victim.query(`VACUUM ANALYZE ${table}`)
}

async function startConversation(victim: Victim, app: typeof APP_OF_VICTIM): Promise<string> {
  const chat = await Chat.connect({ ...app, url: victim.url } as Target, honestAddress(0))
  try {
    await chat.open('honest-sender')
    return await chat.start(['honest-receiver'])
  } finally {
    chat.end()
  }
}
