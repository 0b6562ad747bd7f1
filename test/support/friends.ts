import type { Reply, RequestOptions, TestApp } from './app.ts'

export interface Person {
  readonly id: string
  readonly session: string
}

/** Operations between users of an app, over HTTP. */
export interface Friends {
  /** Registers so many users. */
  people(count: number): Promise<Person[]>
  follow(who: Person, whom: Person, attributes?: object): Promise<Reply>
  unfollow(who: Person, whom: Person): Promise<Reply>
  /** @returns the id of the request */
  request(who: Person, whom: Person, friendship?: object): Promise<string>
  answer(who: Person, requestId: string, answer: 'accept' | 'decline', body?: object): Promise<Reply>
  block(who: Person, whom: Person): Promise<Reply>
  /** Requests a list of a user as another user; without one, without a session. */
  list(name: string, of: Person, seenBy?: Person, query?: Readonly<Record<string, string>>): Promise<Reply>
  /** Returns the pairs of ids stored in a class: `user`, and the other. */
  stored(className: keyof typeof OTHER): Promise<[user: string, other: string][]>
}

const OTHER = { _Followee: 'followee', _Follower: 'follower', _FriendshipRequest: 'friend', _Blocklist: 'blockedUser' }

export const pointerTo = ({ id }: Person) => ({ __type: 'Pointer', className: '_User', objectId: id })

export function makeFriends(app: TestApp): Friends {
  let made = 0
  const as = (method: string, { session }: Person, path: string, options: RequestOptions = {}) =>
    app.request(method, `/1.1/users/${path}`, { session, ...options })
  return {
    people: (count) => Promise.all(Array.from({ length: count }, () => app.makeUser(`person ${made++}`))),
    follow: (who, whom, body) => as('POST', who, `${who.id}/friendship/${whom.id}`, { body }),
    unfollow: (who, whom) => as('DELETE', who, `${who.id}/friendship/${whom.id}`),
    async request(who, whom, friendship) {
      const body = { user: pointerTo(who), friend: pointerTo(whom), friendship }
      return (await as('POST', who, 'friendshipRequests', { body })).body.objectId as string
    },
    answer: (who, requestId, answer, body) => as('PUT', who, `friendshipRequests/${requestId}/${answer}`, { body }),
    block: (who, whom) => as('POST', who, `self/friendBlocklist/${whom.id}`),
    list: (name, of, seenBy, query = {}) =>
      app.request('GET', `/1.1/users/${of.id}/${name}`, { query, ...(seenBy && { session: seenBy.session }) }),
    async stored(className) {
      const { rows } = await app.sql(
        `SELECT data->'user'->>'objectId' AS a, data->'${OTHER[className]}'->>'objectId' AS b FROM "${className}" ORDER BY 1, 2`,
      )
      return rows.map(({ a, b }) => [a, b])
    },
  }
}
