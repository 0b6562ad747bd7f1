import AV from 'leancloud-storage'
import type { TestApp } from './app.ts'

/** A user for follow and status tests. */
export interface Person {
  readonly id: string
  readonly session: string
  readonly user: AV.User
  readonly pointer: { readonly __type: 'Pointer'; readonly className: '_User'; readonly objectId: string }
  /** Options of the official SDK for requests with the session. */
  readonly as: { readonly sessionToken: string }
}

/** Registers users of these names. */
export function makePeople<Names extends readonly string[]>(
  app: TestApp,
  ...names: Names
): Promise<{ [Name in keyof Names]: Person }> {
  const made = names.map(async (name): Promise<Person> => {
    const { id, session } = await app.makeUser(name)
    return {
      id,
      session,
      user: AV.Object.createWithoutData<AV.User>('_User', id),
      pointer: { __type: 'Pointer', className: '_User', objectId: id },
      as: { sessionToken: session },
    }
  })
  return Promise.all(made) as Promise<{ [Name in keyof Names]: Person }>
}

/** Writes users and their follows of one user directly into the tables. */
export async function writeFollowers(
  app: Pick<TestApp, 'sql'>,
  userId: string,
  count: number,
  prefix = 'follower',
): Promise<readonly string[]> {
  const ids = Array.from({ length: count }, (_, index) => `${prefix}${String(index).padStart(6, '0')}`)
  await app.sql(
    `INSERT INTO "_User" (id, created_at, updated_at, data)
     SELECT id, now(), now(), jsonb_build_object('username', id) FROM unnest($1::text[]) AS id`,
    [ids],
  )
  await writeFollows(app, userId, ids)
  return ids
}

/** Makes users follow one; the rows have the ids of the users. */
export async function writeFollows(app: Pick<TestApp, 'sql'>, userId: string, ids: readonly string[]): Promise<void> {
  await app.sql(
    `INSERT INTO "_Follower" (id, created_at, updated_at, acl, readers, writers, data)
     SELECT id, now(), now(),
       jsonb_build_object(id, '{"read":true,"write":true}'::jsonb, $1::text, '{"read":true,"write":true}'::jsonb),
       ARRAY[id, $1::text], ARRAY[id, $1::text],
       jsonb_build_object(
         'user', jsonb_build_object('__type', 'Pointer', 'className', '_User', 'objectId', $1::text),
         'follower', jsonb_build_object('__type', 'Pointer', 'className', '_User', 'objectId', id))
     FROM unnest($2::text[]) AS id`,
    [userId, ids],
  )
}
