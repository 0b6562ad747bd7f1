import { afterAll, expect, it, vi } from 'vitest'
import { makeApp } from '../support/app.ts'
import { makeFriends, type Person } from '../support/friends.ts'
import { type LiveSdk, listen, loadLiveSdk, type ReceivedEvent } from '../support/live-query.ts'

const app = await makeApp()
const friends = makeFriends(app)
const [ann, bob, eve] = (await friends.people(3)) as [Person, Person, Person]

vi.spyOn(console, 'warn').mockReturnValue(undefined)
afterAll(() => void vi.restoreAllMocks())
const ends: (() => Promise<unknown>)[] = []
afterAll(async () => void (await Promise.allSettled(ends.map((end) => end()))))

/** Subscribes a user to objects of a class that name another user in a field, and returns the received events. */
async function hear(who: Person, className: string, field: string, whom: Person): Promise<ReceivedEvent[]> {
  const sdk: LiveSdk = loadLiveSdk(app)
  await sdk.User.become(who.session)
  const query = new sdk.Query(className)
  query.equalTo(field, sdk.Object.createWithoutData('_User', whom.id))
  const liveQuery = await query.subscribe()
  ends.push(() => liveQuery.unsubscribe())
  return listen(liveQuery)
}

const told = (heard: readonly ReceivedEvent[], wanted: readonly string[]) =>
  vi.waitFor(() => expect(heard.map(({ op }) => op)).toEqual(wanted), { timeout: 60_000, interval: 10 })

it('live queries notify only the two users of requests and follows and their changes', async () => {
  const asked = await hear(bob, '_FriendshipRequest', 'friend', bob)
  const asking = await hear(ann, '_FriendshipRequest', 'user', ann)
  const overhearing = await hear(eve, '_FriendshipRequest', 'friend', bob)
  const followers = await hear(bob, '_Follower', 'user', bob)
  const id = await friends.request(ann, bob)
  await told(asked, ['create'])
  await friends.answer(bob, id, 'accept')
  await friends.unfollow(ann, bob)
  await told(asking, ['create', 'update'])
  expect(asking.map((one) => one.id)).toEqual([id, id])
  await told(followers, ['create', 'delete'])
  expect(overhearing).toEqual([])
})
