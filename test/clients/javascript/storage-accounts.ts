import type { StorageCase } from './storage-cases.ts'

export const ACCOUNT_CASES: readonly StorageCase[] = [
  {
    name: 'a user signs up, logs out, logs in and is remembered',
    run: async (AV, _, { codeOf }) => {
      const user = new AV.User()
      user.set({ username: 'ann', password: 'secret of ann', nick: 'Annie' })
      user.setEmail('ann@example.org')
      await user.signUp()
      const token = user.getSessionToken()
      const signedUp = AV.User.current().id === user.id && user.get('nick') === 'Annie'
      await AV.User.logOut()
      const nobody = AV.User.current() === null || AV.User.current() === undefined
      const wrong = await codeOf(AV.User.logIn('ann', 'wrong'))
      const back = await AV.User.logIn('ann', 'secret of ann')
      const taken = await codeOf(new AV.User({ username: 'ann', password: 'x' }).signUp())
      await AV.User.logIn('ann', 'secret of ann')
      const remembered = await AV.User.currentAsync()
      return [
        /^[a-z0-9]{25}$/.test(token),
        signedUp,
        nobody,
        wrong,
        back.getSessionToken() === token,
        back.getEmail(),
        taken,
        remembered.id === back.id,
      ]
    },
    expected: [true, true, true, 210, true, 'ann@example.org', 202, true],
  },
  {
    name: 'a session is taken over by its token',
    run: async (AV, _, { codeOf }) => {
      const user = await AV.User.signUp('becoming', 'secret', { nick: 'B' })
      const token = user.getSessionToken()
      await AV.User.logOut()
      const again = await AV.User.become(token)
      const wrong = await codeOf(AV.User.become('nobodystokennobodystoken0'))
      return [again.id === user.id, again.get('nick'), AV.User.current().id === user.id, wrong]
    },
    expected: [true, 'B', true, 211],
  },
  {
    name: 'a user changes the profile and the password',
    run: async (AV, _, { codeOf }) => {
      const user = await AV.User.signUp('changing', 'old secret')
      const token = user.getSessionToken()
      await user.save({ nick: 'C' })
      const wrong = await codeOf(user.updatePassword('wrong secret', 'new secret'))
      await user.updatePassword('old secret', 'new secret')
      await AV.User.logOut()
      const old = await codeOf(AV.User.logIn('changing', 'old secret'))
      const back = await AV.User.logIn('changing', 'new secret')
      return [wrong, old, back.get('nick'), back.getSessionToken() === token]
    },
    expected: [210, 210, 'C', true],
  },
  {
    name: 'a session token is renewed',
    since: 2,
    run: async (AV, _, { codeOf }) => {
      const user = await AV.User.signUp('renewing', 'secret')
      const token = user.getSessionToken()
      const before = await user.isAuthenticated()
      await user.refreshSessionToken()
      const old = await codeOf(AV.User.become(token))
      return [before, user.getSessionToken() !== token, await user.isAuthenticated(), old]
    },
    expected: [true, true, true, 211],
  },
  {
    name: 'a third-party account logs in: it signs up once, and is the same user afterwards',
    run: async (AV) => {
      const logIn = (authData: object, platform: string) =>
        (AV.User.loginWithAuthData || AV.User.signUpOrlogInWithAuthData).call(AV.User, authData, platform)
      const first = await logIn({ openid: 'open-1', access_token: 'a', expires_in: 7200 }, 'weixin')
      const token = first.getSessionToken()
      await AV.User.logOut()
      const again = await logIn({ openid: 'open-1', access_token: 'b', expires_in: 7200 }, 'weixin')
      const other = await logIn({ uid: 'uid-2', access_token: 'c' }, 'weibo')
      return [again.id === first.id, again.getSessionToken() === token, other.id !== first.id]
    },
    expected: [true, true, true],
  },
  {
    name: 'a third-party account is linked to a user',
    run: async (AV) => {
      const user = await AV.User.signUp('linking', 'secret')
      const authData = { openid: 'linked-1', access_token: 'a', expires_in: 7200 }
      if (user.associateWithAuthData) await user.associateWithAuthData(authData, 'qq')
      else await AV.User.associateWithAuthData(user, 'qq', authData)
      await AV.User.logOut()
      const back = await (AV.User.loginWithAuthData || AV.User.signUpOrlogInWithAuthData).call(AV.User, authData, 'qq')
      return [back.id === user.id, back.getUsername()]
    },
    expected: [true, 'linking'],
  },
  {
    name: 'an anonymous user is made, and comes back',
    run: async (AV) => {
      const id = 'an-anonymous-id'
      const logIn = AV.User.loginWithAuthData || AV.User.signUpOrlogInWithAuthData
      const first = await logIn.call(AV.User, { id }, 'anonymous')
      const again = await logIn.call(AV.User, { id }, 'anonymous')
      return [first.id === again.id, typeof again.getUsername()]
    },
    expected: [true, 'string'],
  },
  {
    name: 'loginAnonymously makes a user, who signs up later and stays the same',
    since: 3,
    run: async (AV) => {
      const user = await AV.User.loginAnonymously()
      const before = user.isAnonymous()
      user.set({ username: 'no longer anonymous', password: 'secret' })
      await user.save()
      await AV.User.logOut()
      const back = await AV.User.logIn('no longer anonymous', 'secret')
      return [before, back.id === user.id, back.isAnonymous()]
    },
    expected: [true, true, false],
  },
  {
    name: 'an object is read by whom its ACL names: users and roles',
    run: async (AV, _, { codeOf }) => {
      const admin = await AV.User.signUp('admin', 'secret')
      const roleAcl = new AV.ACL(admin)
      roleAcl.setPublicReadAccess(true)
      const role = new AV.Role('keepers', roleAcl)
      role.getUsers().add(admin)
      await role.save()
      const save = async (allow: (acl: typeof roleAcl) => void) => {
        const object = new AV.Object('Guarded')
        const acl = new AV.ACL()
        allow(acl)
        object.setACL(acl)
        await object.save()
        return object
      }
      const objects = [
        await save((acl) => acl.setReadAccess(admin, true)),
        await save((acl) => acl.setRoleReadAccess('keepers', true)),
        await save((acl) => acl.setPublicReadAccess(true)),
      ]
      const seen = async () =>
        (await new AV.Query('Guarded').find()).map(({ id }: { id: string }) =>
          objects.findIndex((one) => one.id === id),
        )
      const roles = (await admin.getRoles()).map((one: typeof role) => one.getName())
      const byAdmin = await seen()
      const changed = await codeOf(objects[2].save({ n: 1 }))
      await AV.User.signUp('stranger', 'secret')
      return { roles, byAdmin: byAdmin.sort(), byStranger: await seen(), changed }
    },
    expected: { roles: ['keepers'], byAdmin: [0, 1, 2], byStranger: [2], changed: 403 },
  },
]
