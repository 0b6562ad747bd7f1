import { afterAll, expect, it } from 'vitest'
import { makeApp } from '../support/app.ts'
import { startEngine } from '../support/engine-process.ts'
import { makeFriends, type Person } from '../support/friends.ts'
import { NOTE, notesOf, PATIENTLY } from '../support/hook-notes.ts'

const app = await makeApp()
const friends = makeFriends(app)
const code = `${NOTE}
  for (const className of ['_Followee', '_Follower', '_FriendshipRequest'])
    for (const hook of ['beforeSave', 'afterSave', 'beforeUpdate', 'beforeDelete', 'afterDelete'])
      AV.Cloud[hook](className, (request) => {
        note(hook, request)
        if (hook.startsWith('before') && request.object.get('refuse') === hook) throw new AV.Cloud.Error('refused')
      })
`
const engine = await startEngine(app, code, afterAll)
const two = async () => (await friends.people(2)) as [Person, Person]

/** Returns the hooks called for objects with this `about`. */
const hooksOf = (about: string) =>
  notesOf(engine)
    .filter(({ object }) => object.about === about)
    .map(({ hook }) => hook)
    .toSorted()

it('cloud code runs before and after hooks for both rows of a follow', async () => {
  const [ann, bob] = await two()
  await friends.follow(ann, bob, { about: 'told' })
  await friends.unfollow(ann, bob)
  const all = ['afterDelete', 'afterSave', 'beforeDelete', 'beforeSave']
  await expect.poll(() => hooksOf('told'), PATIENTLY).toEqual(all.flatMap((hook) => [hook, hook]))
})

it('a follow rejected by cloud code leaves nothing, and a rejected unfollow keeps the follow', async () => {
  const [ann, bob] = await two()
  const refused = { status: 400, body: { code: 142 } }
  expect(await friends.follow(ann, bob, { refuse: 'beforeSave' })).toMatchObject(refused)
  expect([await friends.stored('_Followee'), await friends.stored('_Follower')]).toEqual([[], []])
  await friends.follow(ann, bob, { refuse: 'beforeDelete' })
  expect(await friends.unfollow(ann, bob)).toMatchObject(refused)
  expect(await friends.follow(ann, bob, { refuse: 'beforeUpdate' })).toMatchObject(refused)
  expect([await friends.stored('_Followee'), await friends.stored('_Follower')]).toEqual([
    [[ann.id, bob.id]],
    [[bob.id, ann.id]],
  ])
})
