import type { TestApp } from '../support/app.ts'
import {
  type Acl,
  Model,
  type ModelClass,
  type ModelObject,
  type Operation,
  type Permission,
  type Who,
} from './model.ts'
import type { Random } from './random.ts'

interface WorldUser {
  readonly id: string
  session: string
}

/** Classes, users and roles, in the server and in the model. */
export interface World {
  readonly name: string
  readonly app: TestApp
  readonly model: Model
  readonly users: readonly WorldUser[]
  /** The classes whose objects are written. */
  readonly classNames: readonly string[]
  readonly callers: readonly Who[]
  /** The number of events by name: a model that rejects everything would agree with a server that does. */
  readonly happened: Map<string, number>
}

export function note({ happened }: World, what: string): void {
  happened.set(what, (happened.get(what) ?? 0) + 1)
}

const CLASSES = 3
const USERS = 4
const ROLES = 4
const OBJECTS = 7

export const TAGS = ['red', 'green', 'blue']

/** The fields of every class of a world; `ref` and `rel` refer to other classes of it. */
const ORDINARY: readonly Operation[] = ['create', 'find', 'get', 'update', 'delete', 'addField']

const pointer = (className: string, objectId: string) => ({ __type: 'Pointer', className, objectId })

export async function makeWorld(
  app: TestApp,
  random: Random,
  number: number,
  happened: Map<string, number>,
): Promise<World> {
  const name = `w${number}`
  const model = new Model()
  const users = await makeUsers(app, random, model, name)
  await makeRoles(app, random, model, name)
  const classNames = Array.from({ length: CLASSES }, (_, index) => `${name.toUpperCase()}K${index}`)
  const world: World = { name, app, model, users, classNames, callers: callersOf(users), happened }
  for (const [index, className] of classNames.entries()) await makeClass(world, random, className, index)
  for (const className of classNames) await makeObjects(world, random, className)
  for (const className of classNames) await fillReferences(world, random, className)
  for (const className of [...classNames, '_User']) await permit(world, random, className)
  return world
}

/** Deletes the classes of a world. */
export async function endWorld({ app, classNames, name }: World): Promise<void> {
  for (const className of [...classNames, lastClass(name)]) await app.admin('DELETE', `/classes/${className}`)
}

/** Returns the class whose events prove that all earlier writes were notified. */
export const lastClass = (worldName: string) => `${worldName.toUpperCase()}Last`

function callersOf(users: readonly WorldUser[]): Who[] {
  return [{ kind: 'nobody' }, ...users.map(({ id }) => ({ kind: 'user', id }) as const), { kind: 'master' }]
}

export function randomAcl(random: Random, world: Pick<World, 'model' | 'users'>): Acl | null {
  if (random.chance(0.15)) return null
  const names = [
    '*',
    ...world.users.map(({ id }) => id),
    ...[...world.model.roles.values()].map(({ name }) => `role:${name}`),
  ]
  const entries = random.some(names, 0.25).map((grantee) => {
    const rights = random.pick([{ read: true }, { write: true }, { read: true, write: true }] as const)
    return [grantee, rights] as const
  })
  return Object.fromEntries(entries)
}

function randomPermission(random: Random, { model, users }: Pick<World, 'model' | 'users'>): Permission {
  if (random.chance(0.55)) return 'public'
  if (random.chance(0.3)) return 'users'
  if (random.chance(0.3)) return 'master'
  const roles = [...model.roles.values()].map(({ name }) => name)
  return { users: random.some(users).map(({ id }) => id), roles: random.some(roles) }
}

/** Sets random permissions of a class. */
export async function permit(world: World, random: Random, className: string): Promise<void> {
  const operations = className === '_User' ? (['find', 'get', 'update'] as const) : ORDINARY
  const permissions = Object.fromEntries(operations.map((operation) => [operation, randomPermission(random, world)]))
  await expectOk(world.app.admin('PATCH', `/classes/${className}`, { permissions }))
  world.model.classOf(className).permissions = permissions
}

async function makeUsers(app: TestApp, random: Random, model: Model, name: string): Promise<WorldUser[]> {
  const userClass: ModelClass = {
    name: '_User',
    permissions: {},
    defaultAcl: null,
    hidden: new Set(['note']),
    own: new Set(['diary', 'authData']),
    relations: {},
    objects: new Map(),
  }
  model.classes.set('_User', userClass)
  const users: WorldUser[] = []
  for (let n = 0; n < USERS; n++) {
    const fields = { nick: name, diary: `diary ${n}`, note: `note ${n}` }
    // Without a password no hash is computed.
    const id = `${name} ${n} ${random.below(2 ** 31)}`
    const made = await expectOk(
      app.request('POST', '/1.1/users', { master: true, body: { ...fields, authData: { anonymous: { id } } } }),
    )
    users.push({ id: made.objectId, session: made.sessionToken })
    userClass.objects.set(made.objectId, {
      id: made.objectId,
      className: '_User',
      acl: null,
      fields: { ...fields, authData: 'shown' },
      relations: {},
    })
  }
  for (const user of userClass.objects.values()) {
    user.acl = random.pick<Acl>([{ '*': { read: true } }, { [user.id]: { read: true, write: true } }, {}])
    await expectOk(app.request('PUT', `/1.1/users/${user.id}`, { master: true, body: { ACL: user.acl } }))
  }
  return users
}

async function makeRoles(app: TestApp, random: Random, model: Model, scope: string): Promise<void> {
  const roleClass: ModelClass = {
    name: '_Role',
    permissions: {},
    defaultAcl: null,
    hidden: new Set(),
    own: new Set(),
    relations: { users: '_User', roles: '_Role' },
    objects: new Map(),
  }
  model.classes.set('_Role', roleClass)
  const users = [...model.classOf('_User').objects.values()]
  for (let n = 0; n < ROLES; n++) {
    const name = `${scope}_role${n}`
    const acl: Acl = random.pick<Acl>([
      { '*': { read: true } },
      { [random.pick(users).id]: { read: true, write: true } },
      {},
    ])
    const members = random.some(users, 0.3).map(({ id }) => id)
    const children = random.some([...model.roles.keys()], 0.4)
    const body = {
      name,
      scope,
      ACL: acl,
      ...(members.length > 0 && { users: adding('_User', members) }),
      ...(children.length > 0 && { roles: adding('_Role', children) }),
    }
    const { objectId: id } = await expectOk(app.request('POST', '/1.1/roles', { master: true, body }))
    const role = { id, name, users: new Set(members), roles: new Set(children) }
    model.roles.set(id, role)
    roleClass.objects.set(id, {
      id,
      className: '_Role',
      acl,
      fields: { name, scope },
      relations: { users: role.users, roles: role.roles },
    })
  }
}

const adding = (className: string, ids: readonly string[]) => ({
  __op: 'AddRelation',
  objects: ids.map((id) => pointer(className, id)),
})

async function makeClass(world: World, random: Random, className: string, index: number): Promise<void> {
  const { app, model, classNames } = world
  const next = classNames[(index + 1) % classNames.length]!
  const hidden = [...(random.chance(0.5) ? ['secret'] : []), ...(random.chance(0.3) ? ['rel'] : [])]
  const options = (field: string) => (hidden.includes(field) ? { hidden: true } : {})
  const defaultAcl: Acl | null = random.pick<Acl | null>([
    null,
    { '*': { read: true } },
    { _owner: { read: true, write: true } },
  ])
  await expectOk(
    app.admin('PATCH', `/classes/${className}`, {
      fields: {
        n: { type: 'Number' },
        tag: { type: 'String', searchable: true },
        secret: { type: 'String', searchable: true, ...options('secret') },
        ref: { type: 'Pointer', className: next },
        refs: { type: 'Array' },
        owner: { type: 'Pointer', className: '_User' },
        rel: { type: 'Relation', className: next, ...options('rel') },
      },
      ...(defaultAcl && { defaultAcl }),
    }),
  )
  model.classes.set(className, {
    name: className,
    permissions: {},
    defaultAcl,
    hidden: new Set(hidden),
    own: new Set(),
    relations: { rel: next },
    objects: new Map(),
  })
}

async function makeObjects(world: World, random: Random, className: string): Promise<void> {
  const made = Array.from({ length: OBJECTS }, () => {
    const fields = { n: random.below(4), tag: random.pick(TAGS), secret: random.pick(TAGS) }
    return { fields, acl: randomAcl(random, world) }
  })
  const requests = made.map(({ fields, acl }) => ({
    method: 'POST',
    path: `/1.1/classes/${className}`,
    // Not the default ACL of the class.
    body: { ...fields, ACL: acl ?? { '*': { read: true, write: true } } },
  }))
  const answers = await batch(world, requests)
  for (const [index, { fields, acl }] of made.entries())
    addObject(world, { id: answers[index].objectId, className, acl, fields, relations: { rel: new Set() } })
}

export function addObject({ model }: World, object: ModelObject): void {
  model.classOf(object.className).objects.set(object.id, object)
}

async function fillReferences(world: World, random: Random, className: string): Promise<void> {
  const { model, users } = world
  const { objects, relations } = model.classOf(className)
  const targets = [...model.classOf(relations.rel!).objects.keys()]
  const anything = world.classNames.flatMap((name) => [...model.classOf(name).objects.values()])
  const requests = [...objects.values()].map((object) => {
    const ref = { className: relations.rel!, id: random.pick(targets) }
    const refs = random.some(anything, 0.15).map(({ className, id }) => ({ className, id }))
    const owner = { className: '_User', id: random.pick(users).id }
    const members = random.some(targets, 0.3)
    Object.assign(object.fields, { ref, refs, owner })
    for (const id of members) object.relations.rel!.add(id)
    const body = {
      ref: pointer(ref.className, ref.id),
      refs: refs.map((one) => pointer(one.className, one.id)),
      owner: pointer('_User', owner.id),
      ...(members.length > 0 && { rel: adding(relations.rel!, members) }),
    }
    return { method: 'PUT', path: `/1.1/classes/${className}/${object.id}`, body }
  })
  await batch(world, requests)
}

async function batch({ app }: World, requests: readonly object[]) {
  const answers = await expectOk(app.request('POST', '/1.1/batch', { master: true, body: { requests } }))
  return answers.map((answer: { success?: unknown }) => {
    if (!answer.success) throw new Error(JSON.stringify(answer))
    return answer.success
  })
}

async function expectOk(request: ReturnType<TestApp['request']>) {
  const { status, body } = await request
  if (status >= 300) throw new Error(`${status} ${JSON.stringify(body)}`)
  return body
}
