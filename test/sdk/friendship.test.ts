import AV from 'leancloud-storage'
import { describe, expect, it } from 'vitest'
import { makeSdkApp } from '../support/sdk.ts'

await makeSdkApp()

let made = 0

/** Signs up users through the SDK. */
async function people(count: number): Promise<AV.User[]> {
  const names = Array.from({ length: count }, () => `person ${made++}`)
  return Promise.all(names.map((name) => new AV.User().signUp({ username: name, password: name })))
}

/** Returns the names of the users in a query of followers or followees. */
async function names(query: AV.Query<AV.Object>, user: AV.User): Promise<string[]> {
  const found = await query.find({ user })
  return found.map((one) => one.get('username') as string).sort()
}

describe('a user that follows another', () => {
  it('is listed among its followers, and the other among its followees', async () => {
    const [ann, bob] = (await people(2)) as [AV.User, AV.User]
    await ann.follow(bob.id!, { user: ann })
    expect(await names(bob.followerQuery().include('follower'), bob)).toEqual([ann.getUsername()])
    expect(await names(ann.followeeQuery().include('followee'), ann)).toEqual([bob.getUsername()])
    expect(await names(bob.followeeQuery(), bob)).toEqual([])
  })

  it('sets attributes that both lists can be filtered by', async () => {
    const [ann, bob, cy] = (await people(3)) as [AV.User, AV.User, AV.User]
    const position = new AV.GeoPoint(12, 34)
    await ann.follow({ user: bob.id!, attributes: { level: 1, position } }, { user: ann })
    await ann.follow({ user: cy, attributes: { level: 2 } }, { user: ann })
    expect(await names(ann.followeeQuery().include('followee').equalTo('level', 1), ann)).toEqual([bob.getUsername()])
    expect(await names(bob.followerQuery().include('follower').equalTo('level', 1), bob)).toEqual([ann.getUsername()])
    expect(await names(bob.followerQuery().equalTo('level', 0), bob)).toEqual([])
    const [row] = await new AV.Query('_Followee').equalTo('followee', bob).include('followee').find({ user: ann })
    expect(row!.get('position').toJSON()).toEqual(position.toJSON())
    expect(row!.get('followee').get('username')).toBe(bob.getUsername())
  })

  it('unfollows', async () => {
    const [ann, bob] = (await people(2)) as [AV.User, AV.User]
    await ann.follow(bob, { user: ann })
    await ann.unfollow(bob.id!, { user: ann })
    expect(await names(bob.followerQuery(), bob)).toEqual([])
    expect(await names(ann.followeeQuery(), ann)).toEqual([])
    await expect(ann.unfollow(bob.id!, { user: ann })).rejects.toMatchObject({ code: 221 })
  })

  it('gets followers and followees in one request', async () => {
    const [ann, bob, cy] = (await people(3)) as [AV.User, AV.User, AV.User]
    await ann.follow(bob.id!, { user: ann })
    await cy.follow(ann.id!, { user: cy })
    const { followers, followees } = await ann.getFollowersAndFollowees({}, { user: ann })
    expect(followers.map((user) => [user.id, user.get('username')])).toEqual([[cy.id, cy.getUsername()]])
    expect(followees.map((user) => [user.id, user.get('username')])).toEqual([[bob.id, bob.getUsername()]])
  })
})

/** Returns the requests to a user with a given status. */
function requestsTo(user: AV.User, status: string): Promise<AV.Object[]> {
  return new AV.Query<AV.Object>('_FriendshipRequest').equalTo('friend', user).equalTo('status', status).find({ user })
}

/** Returns the ids of the friends of a user. */
async function friendsOf(user: AV.User): Promise<string[]> {
  const rows = await new AV.Query('_Followee').equalTo('user', user).equalTo('friendStatus', true).find({ user })
  return rows.map((row) => row.get('followee').id)
}

describe('a friend request', () => {
  it('makes two users friends when accepted, with the attributes of each', async () => {
    const [ann, bob] = (await people(2)) as [AV.User, AV.User]
    await AV.Friendship.request({ friend: bob.id!, attributes: { group: 'sport' } }, { user: ann })
    const [request] = await requestsTo(bob, 'pending')
    expect(request!.get('user').id).toBe(ann.id)
    await AV.Friendship.acceptRequest({ request: request!, attributes: { group: 'work' } }, { user: bob })
    expect(await requestsTo(bob, 'pending')).toEqual([])
    expect(await requestsTo(bob, 'accepted')).toHaveLength(1)
    expect([await friendsOf(ann), await friendsOf(bob)]).toEqual([[bob.id], [ann.id]])
    const groups = await new AV.Query('_Followee')
      .containedIn('user', [ann, bob])
      .ascending('group')
      .find({ user: ann })
    expect(groups.map((row) => [row.get('user').id, row.get('group')])).toEqual([
      [ann.id, 'sport'],
      [bob.id, 'work'],
    ])
  })

  it('is listed for its sender with its attributes, and is not yet a friendship', async () => {
    const [ann, bob] = (await people(2)) as [AV.User, AV.User]
    await AV.Friendship.request({ friend: bob.id!, attributes: { group: 'sport' } }, { user: ann })
    const rows = await new AV.Query('_Followee').equalTo('user', ann).find({ user: ann })
    expect(rows.map((row) => [row.get('group'), row.get('friendStatus')])).toEqual([['sport', false]])
    expect(await names(bob.followerQuery(), bob)).toEqual([])
  })

  it('that is declined cannot be sent again, and can be accepted later', async () => {
    const [ann, bob] = (await people(2)) as [AV.User, AV.User]
    await AV.Friendship.request(bob.id!, { user: ann })
    const [request] = await requestsTo(bob, 'pending')
    await AV.Friendship.declineRequest(request!, { user: bob })
    expect(await requestsTo(bob, 'declined')).toHaveLength(1)
    await expect(AV.Friendship.request(bob.id!, { user: ann })).rejects.toMatchObject({ code: 1 })
    await AV.Friendship.acceptRequest(request!.id!, { user: bob })
    expect(await friendsOf(ann)).toEqual([bob.id])
  })

  it('that is pending is created only once', async () => {
    const [ann, bob] = (await people(2)) as [AV.User, AV.User]
    await AV.Friendship.request(bob.id!, { user: ann })
    await AV.Friendship.request({ friend: bob.id!, attributes: { group: 'closed' } }, { user: ann })
    expect(await requestsTo(bob, 'pending')).toHaveLength(1)
  })

  it('ends on one side by an unfollow: the other still has its friend', async () => {
    const [ann, bob] = (await people(2)) as [AV.User, AV.User]
    await AV.Friendship.request(bob.id!, { user: ann })
    await AV.Friendship.acceptRequest((await requestsTo(bob, 'pending'))[0]!, { user: bob })
    await ann.unfollow(bob.id!, { user: ann })
    expect([await friendsOf(ann), await friendsOf(bob)]).toEqual([[], [ann.id]])
    await AV.Friendship.request(bob.id!, { user: ann })
    expect(await requestsTo(bob, 'pending')).toHaveLength(1)
  })
})

it('attributes of a friend can be changed through an object of its class', async () => {
  const [ann, bob] = (await people(2)) as [AV.User, AV.User]
  await ann.follow({ user: bob.id!, attributes: { remark: 'old', nickname: 'b' } }, { user: ann })
  const [row] = await new AV.Query('_Followee').equalTo('user', ann).find({ user: ann })
  const friend = AV.Object.createWithoutData('_Followee', row!.id!)
  friend.set('remark', 'new')
  friend.unset('nickname')
  await friend.save(null, { user: ann })
  const [seen] = await new AV.Query('_Follower').equalTo('user', bob).find({ user: bob })
  expect([seen!.get('remark'), seen!.get('nickname')]).toEqual(['new', undefined])
})
