import AV from 'leancloud-storage'
import { describe, expect, it } from 'vitest'
import { makeSdkApp, save } from '../support/sdk.ts'

const app = await makeSdkApp()
const master = { useMasterKey: true }

interface Member {
  readonly id: string
  readonly user: AV.User
  readonly as: { readonly sessionToken: string }
}

async function makeMember(name: string): Promise<Member> {
  const { id, session } = await app.makeUser(name)
  return { id, user: AV.Object.createWithoutData<AV.User>('_User', id), as: { sessionToken: session } }
}

const [ann, bo, stranger] = [await makeMember('ann'), await makeMember('bo'), await makeMember('stranger')]
const nobody = {}

const aclOf = (permissions: object) => new AV.ACL(permissions)

/** Saves an object with an ACL, using the master key. */
function saveWith(className: string, acl: object, fields: object = {}): Promise<AV.Object> {
  const object = new AV.Object(className).set(fields as { [key: string]: unknown })
  object.setACL(aclOf(acl))
  return object.save(null, master)
}

async function makeRole(name: string, users: Member[] = [], roles: AV.Role[] = []): Promise<AV.Role> {
  const role = new AV.Role(name, aclOf({ '*': { read: true } }))
  for (const { user } of users) role.getUsers().add(user)
  for (const child of roles) role.getRoles().add(child)
  return role.save(null, master)
}

const mayRead = async (object: AV.Object, options: AV.AuthOptions): Promise<boolean> => {
  const blind = AV.Object.createWithoutData(object.className, object.id!)
  const [read, found] = await Promise.all([
    blind.fetch({}, options).then(
      () => true,
      (error: AV.Error) => {
        expect(error).toMatchObject({ code: 403, rawMessage: "Forbidden reading by object's ACL." })
        return false
      },
    ),
    new AV.Query(object.className).equalTo('objectId', object.id).count(options),
  ])
  expect(found).toBe(read ? 1 : 0)
  return read
}

const mayWrite = (object: AV.Object, options: AV.AuthOptions): Promise<boolean> =>
  AV.Object.createWithoutData(object.className, object.id!)
    .save({ written: true }, options)
    .then(
      () => true,
      (error: AV.Error) => {
        const rawMessage = `Forbidden writing by object's ACL, the object id is ${object.id}.`
        expect(error).toMatchObject({ code: 403, rawMessage })
        return false
      },
    )

describe('an ACL', () => {
  it('admits the named users and the master key', async () => {
    const note = await saveWith('Note', { [ann.id]: { read: true, write: true }, [bo.id]: { read: true } })
    const readers = await Promise.all([ann.as, bo.as, stranger.as, nobody, master].map((who) => mayRead(note, who)))
    expect(readers).toEqual([true, true, false, false, true])
    const writers = await Promise.all([ann.as, bo.as, stranger.as, nobody, master].map((who) => mayWrite(note, who)))
    expect(writers).toEqual([true, false, false, false, true])
  })

  it('that is empty admits only the master key', async () => {
    const note = await saveWith('Note', {})
    expect(await mayRead(note, ann.as)).toBe(false)
    expect(await mayWrite(note, ann.as)).toBe(false)
    expect(await mayRead(note, master)).toBe(true)
  })

  it('with * admits everyone, for reading or for writing', async () => {
    const open = await saveWith('Note', { '*': { read: true } })
    expect([await mayRead(open, nobody), await mayWrite(open, nobody)]).toEqual([true, false])
    const box = await saveWith('Note', { '*': { write: true } })
    expect([await mayRead(box, ann.as), await mayWrite(box, nobody)]).toEqual([false, true])
  })

  it('defaults to access for everyone', async () => {
    const note = await save('Note', {}, ann.as)
    expect([await mayRead(note, nobody), await mayWrite(note, bo.as)]).toEqual([true, true])
  })

  it('can be changed by callers with write access', async () => {
    const note = await saveWith('Note', { [ann.id]: { read: true, write: true } })
    const blind = AV.Object.createWithoutData('Note', note.id!)
    blind.setACL(aclOf({ [bo.id]: { read: true, write: true } }))
    await expect(blind.save(null, bo.as)).rejects.toMatchObject({ code: 403 })
    await blind.save(null, ann.as)
    expect([await mayRead(note, ann.as), await mayRead(note, bo.as)]).toEqual([false, true])
  })

  it('protects against deletion', async () => {
    const note = await saveWith('Note', { '*': { read: true }, [ann.id]: { write: true } })
    await expect(note.destroy(bo.as)).rejects.toMatchObject({
      code: 403,
      rawMessage: `Forbidden writing by object's ACL, the object id is ${note.id}.`,
    })
    await note.destroy(ann.as)
    expect(await new AV.Query('Note').equalTo('objectId', note.id).count(master)).toBe(0)
  })

  it('hides objects from find, count, first and sub-queries', async () => {
    const secret = await saveWith('Hidden', { [ann.id]: { read: true } }, { name: 'secret' })
    const open = await saveWith('Hidden', { '*': { read: true } }, { name: 'open' })
    await save('Pointing', { to: secret, name: 'secret' })
    await save('Pointing', { to: open, name: 'open' })
    const seenBy = async (who: AV.AuthOptions) => {
      const query = () => new AV.Query<AV.Object>('Hidden').descending('name')
      const found = (await query().find(who)).map((object) => object.get('name'))
      const first = (await query().first(who))!.get('name')
      const pointing = await new AV.Query<AV.Object>('Pointing')
        .matchesQuery('to', query())
        .matchesKeyInQuery('name', 'name', query())
        .find(who)
      return { found, first, count: await query().count(who), pointing: pointing.map((object) => object.get('name')) }
    }
    expect(await seenBy(bo.as)).toEqual({ found: ['open'], first: 'open', count: 1, pointing: ['open'] })
    expect(await seenBy(ann.as)).toEqual({
      found: ['secret', 'open'],
      first: 'secret',
      count: 2,
      pointing: ['secret', 'open'],
    })
  })

  it('keeps an included target a plain pointer', async () => {
    const secret = await saveWith('Hidden', { [ann.id]: { read: true } }, { name: 'secret' })
    const pointing = await save('Pointing', { to: secret })
    const target = async (who: AV.AuthOptions) =>
      (await new AV.Query<AV.Object>('Pointing').include('to').get(pointing.id!, who)).get('to')
    expect((await target(bo.as)).attributes).toEqual({})
    expect((await target(bo.as)).id).toBe(secret.id)
    expect((await target(ann.as)).get('name')).toBe('secret')
  })

  it('of a wrong form gets error 123', async () => {
    for (const ACL of [
      ['*'],
      'public',
      { '*': true },
      { '*': { read: 'yes' } },
      { '*': { delete: true } },
      { 'a b': {} },
    ]) {
      expect(await app.request('POST', '/1.1/classes/Note', { body: { ACL } })).toMatchObject({
        status: 400,
        body: { code: 123 },
      })
    }
  })
})

describe('the default ACL of a class', () => {
  it('gives new objects to their owner', async () => {
    await app.admin('PATCH', '/classes/Diary', { defaultAcl: { _owner: { read: true, write: true } } })
    const page = await save('Diary', { text: 'dear' }, ann.as)
    expect([await mayRead(page, ann.as), await mayRead(page, bo.as), await mayRead(page, nobody)]).toEqual([
      true,
      false,
      false,
    ])
    expect([await mayWrite(page, ann.as), await mayWrite(page, bo.as)]).toEqual([true, false])
  })

  it('is overridden by the ACL of an object', async () => {
    await app.admin('PATCH', '/classes/Diary', { defaultAcl: { _owner: { read: true, write: true } } })
    const page = await saveWith('Diary', { [bo.id]: { read: true } })
    expect([await mayRead(page, ann.as), await mayRead(page, bo.as)]).toEqual([false, true])
  })

  it('can name everyone and roles, and applies only to new objects', async () => {
    const role = await makeRole('Editors', [bo])
    const old = await save('Wiki', {}, ann.as)
    await app.admin('PATCH', '/classes/Wiki', {
      defaultAcl: { '*': { read: true }, [`role:${role.getName()}`]: { write: true } },
    })
    const page = await save('Wiki', {}, ann.as)
    expect([await mayRead(page, nobody), await mayWrite(page, bo.as), await mayWrite(page, ann.as)]).toEqual([
      true,
      true,
      false,
    ])
    expect(await mayWrite(old, stranger.as)).toBe(true)
  })
})

describe('a role', () => {
  it('admits its users', async () => {
    await makeRole('Staff', [ann])
    const note = await saveWith('Note', { 'role:Staff': { read: true, write: true } })
    expect([await mayRead(note, ann.as), await mayRead(note, bo.as), await mayRead(note, nobody)]).toEqual([
      true,
      false,
      false,
    ])
    expect([await mayWrite(note, ann.as), await mayWrite(note, bo.as)]).toEqual([true, false])
  })

  it('takes effect at once when a user is added or removed', async () => {
    const role = await makeRole('Changing')
    const note = await saveWith('Note', { 'role:Changing': { read: true } })
    expect(await mayRead(note, ann.as)).toBe(false)
    role.getUsers().add(ann.user)
    await role.save(null, master)
    expect(await mayRead(note, ann.as)).toBe(true)
    role.getUsers().remove(ann.user)
    await role.save(null, master)
    expect(await mayRead(note, ann.as)).toBe(false)
  })

  it('passes its permissions to child roles, through any number of levels', async () => {
    const admins = await makeRole('Admins', [ann])
    const moderators = await makeRole('Moderators', [bo], [admins])
    await makeRole('Members', [stranger], [moderators])
    const forMembers = await saveWith('Note', { 'role:Members': { read: true } })
    const forModerators = await saveWith('Note', { 'role:Moderators': { read: true } })
    const forAdmins = await saveWith('Note', { 'role:Admins': { read: true } })
    const seen = (note: AV.Object) => Promise.all([ann, bo, stranger].map(({ as }) => mayRead(note, as)))
    expect(await seen(forMembers)).toEqual([true, true, true])
    expect(await seen(forModerators)).toEqual([true, true, false])
    expect(await seen(forAdmins)).toEqual([true, false, false])
  })

  it('can be part of a cycle', async () => {
    const first = await makeRole('CycleOne', [ann])
    const second = await makeRole('CycleTwo', [bo], [first])
    first.getRoles().add(second)
    await first.save(null, master)
    const note = await saveWith('Note', { 'role:CycleOne': { read: true } })
    expect([await mayRead(note, ann.as), await mayRead(note, bo.as), await mayRead(note, stranger.as)]).toEqual([
      true,
      true,
      false,
    ])
  })

  it('admits no users once deleted', async () => {
    const role = await makeRole('Temporary', [ann])
    const note = await saveWith('Note', { 'role:Temporary': { read: true } })
    expect(await mayRead(note, ann.as)).toBe(true)
    await role.destroy(master)
    expect(await mayRead(note, ann.as)).toBe(false)
  })

  it('can be found by user, and its users by role', async () => {
    const member = await makeMember('member')
    await makeRole('Found', [member])
    const roles = await new AV.Query<AV.Role>('_Role').equalTo('users', member.user).find()
    expect(roles.map((role) => role.getName())).toEqual(['Found'])
    const own = await member.user.getRoles()
    expect(own.map((role) => role.getName())).toEqual(['Found'])
    const users = await roles[0]!.getUsers().query().find(master)
    expect(users.map(({ id }) => id)).toEqual([member.id])
  })

  it('excludes users of its child roles from its own', async () => {
    const child = await makeRole('InnerRole', [ann])
    const parent = await makeRole('OuterRole', [bo], [child])
    expect((await parent.getUsers().query().find(master)).map(({ id }) => id)).toEqual([bo.id])
    expect((await parent.getRoles().query().find()).map((role) => role.getName())).toEqual(['InnerRole'])
  })

  it('always returns name and both relations', async () => {
    const role = await makeRole('Plain')
    const { body } = await app.request('GET', `/1.1/roles/${role.id}`)
    expect(body).toEqual({
      objectId: role.id,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
      name: 'Plain',
      users: { __type: 'Relation', className: '_User' },
      roles: { __type: 'Relation', className: '_Role' },
    })
  })

  it('requires a valid name: error 139', async () => {
    for (const name of ['with space', 'with-dash']) await expect(makeRole(name)).rejects.toMatchObject({ code: 139 })
    const body = { ACL: { '*': { read: true } } }
    expect((await app.request('POST', '/1.1/roles', { body, master: true })).body.code).toBe(139)
  })

  it('requires an ACL: code 1', async () => {
    expect(await app.request('POST', '/1.1/roles', { body: { name: 'NoAcl' }, master: true })).toMatchObject({
      status: 400,
      body: { code: 1, error: 'Role ACL is required.' },
    })
  })

  it('has a unique name: error 137', async () => {
    await makeRole('Once')
    await expect(makeRole('Once')).rejects.toMatchObject({ code: 137 })
  })

  it('has an immutable name: error 136', async () => {
    const role = await makeRole('Constant')
    const reply = await app.request('PUT', `/1.1/roles/${role.id}`, { body: { name: 'Other' }, master: true })
    expect(reply).toMatchObject({ status: 400, body: { code: 136 } })
    expect((await new AV.Query<AV.Role>('_Role').get(role.id!)).getName()).toBe('Constant')
  })

  it('is protected by its own ACL', async () => {
    const role = new AV.Role('Owned', aclOf({ '*': { read: true }, [ann.id]: { write: true } }))
    await role.save(null, ann.as)
    expect(await mayWrite(role, bo.as)).toBe(false)
    await expect(role.destroy(bo.as)).rejects.toMatchObject({ code: 403 })
    role.getUsers().add(bo.user)
    await role.save(null, ann.as)
    await role.destroy(ann.as)
    expect((await app.request('GET', `/1.1/roles/${role.id}`)).body).toEqual({})
  })
})

describe('class permissions', () => {
  const CLASS = 'Memo'
  const forbidden = (verb: string) => ({
    code: 403,
    rawMessage: `Forbidden to ${verb} by class '${CLASS}' permissions.`,
  })
  const attempts: Record<string, (memo: AV.Object, who: AV.AuthOptions) => Promise<unknown>> = {
    create: (_memo, who) => save(CLASS, { text: 'new' }, who),
    find: (_memo, who) => new AV.Query(CLASS).find(who),
    get: (memo, who) => AV.Object.createWithoutData(CLASS, memo.id!).fetch({}, who),
    update: (memo, who) => AV.Object.createWithoutData(CLASS, memo.id!).save({ text: 'changed' }, who),
    delete: (memo, who) => AV.Object.createWithoutData(CLASS, memo.id!).destroy(who),
  }
  const permit = async (permissions: object) => {
    const open = {
      create: 'public',
      find: 'public',
      get: 'public',
      update: 'public',
      delete: 'public',
      addField: 'public',
    }
    const reply = await app.admin('PATCH', `/classes/${CLASS}`, { permissions: { ...open, ...permissions } })
    expect(reply.status).toBe(200)
  }

  it.each(Object.keys(attempts))('%s closed to clients leaves the others open', async (verb) => {
    await permit({})
    const memo = await save(CLASS, { text: 'a' })
    await permit({ [verb]: 'master' })
    for (const [other, attempt] of Object.entries(attempts).filter(([name]) => name !== 'delete')) {
      if (other === verb) await expect(attempt(memo, ann.as)).rejects.toMatchObject(forbidden(verb))
      else await attempt(memo, ann.as)
    }
    if (verb === 'delete') await expect(attempts.delete!(memo, ann.as)).rejects.toMatchObject(forbidden('delete'))
    await attempts[verb]!(memo, master)
  })

  it.each(Object.keys(attempts))('%s for users requires a session', async (verb) => {
    await permit({})
    const memo = await save(CLASS, { text: 'a' })
    await permit({ [verb]: 'users' })
    await expect(attempts[verb]!(memo, nobody)).rejects.toMatchObject(forbidden(verb))
    await expect(attempts[verb]!(memo, { sessionToken: 'invalid' })).rejects.toMatchObject(forbidden(verb))
    await attempts[verb]!(memo, stranger.as)
  })

  it('can name users and roles', async () => {
    await makeRole('Readers', [bo])
    await permit({ find: { users: [ann.id], roles: ['Readers'] } })
    const memo = await save(CLASS, {})
    await attempts.find!(memo, ann.as)
    await attempts.find!(memo, bo.as)
    await expect(attempts.find!(memo, stranger.as)).rejects.toMatchObject(forbidden('find'))
    await expect(attempts.find!(memo, nobody)).rejects.toMatchObject(forbidden('find'))
  })

  it('without users admit only the master key', async () => {
    await permit({ get: { users: [], roles: [] } })
    const memo = await save(CLASS, {})
    await expect(attempts.get!(memo, ann.as)).rejects.toMatchObject(forbidden('get'))
    await attempts.get!(memo, master)
  })

  it('closed to new fields reject them, and accept existing ones', async () => {
    await permit({})
    await save(CLASS, { text: 'a' })
    await permit({ addField: 'master' })
    await save(CLASS, { text: 'b' })
    const rawMessage = "Forbidden to add new fields by class 'Memo' permissions."
    await expect(save(CLASS, { fresh: 1 })).rejects.toMatchObject({ code: 403, rawMessage })
    const memo = await save(CLASS, { fresh: 1 }, master)
    await memo.save({ fresh: 2 })
    await expect(memo.save({ another: 1 })).rejects.toMatchObject({ code: 403, rawMessage })
  })

  it('of find apply to sub-queries too', async () => {
    await permit({ find: 'master' })
    const query = new AV.Query('Pointing').matchesKeyInQuery('name', 'text', new AV.Query(CLASS))
    await expect(query.find()).rejects.toMatchObject(forbidden('find'))
    await query.find(master)
  })

  it('prevent clients from listing users, but not from reading one by id', async () => {
    await expect(new AV.Query('_User').find()).rejects.toMatchObject({
      code: 403,
      rawMessage: "Forbidden to find by class '_User' permissions.",
    })
    expect((await new AV.Query<AV.User>('_User').get(ann.id)).getUsername()).toBe('ann')
  })
})

describe('a user', () => {
  it('can be written only by itself and the master key: error 206', async () => {
    const blind = () => AV.Object.createWithoutData<AV.User>('_User', ann.id)
    for (const who of [{}, { session: bo.as.sessionToken }]) {
      const reply = await app.request('PUT', `/1.1/classes/_User/${ann.id}`, { body: { nick: 'x' }, ...who })
      expect(reply).toMatchObject({
        status: 403,
        body: { code: 206, error: 'The user cannot be altered by a client without the session.' },
      })
    }
    await blind().save({ nick: 'by herself' }, ann.as)
    await blind().save({ nick: 'by the master' }, master)
    expect((await blind().fetch()).get('nick')).toBe('by the master')
  })

  it('that does not exist gets error 211', async () => {
    expect(await app.request('GET', '/1.1/classes/_User/0123456789abcdef01234567')).toMatchObject({
      status: 400,
      body: { code: 211, error: 'Could not find user.' },
    })
  })
})
