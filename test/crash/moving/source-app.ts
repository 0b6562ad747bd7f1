import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Random } from '../campaign/random.ts'

const AMOUNTS = {
  posts: 8000,
  albums: 150,
  withoutIds: 1500,
  users: 400,
  roles: 20,
  tickets: 800,
  likes: 1500,
  conversations: 60,
  messages: 4000,
}
/** One line in so many is not a valid object of its class. */
const FAULTY = 900

/**
 * Writes a sample export: objects of several classes, some of them invalid, users with credentials, roles and relation members,
 * an auto-increment field, and conversations with messages.
 */
export async function writeSourceApp(folder: string, random: Random): Promise<void> {
  await mkdir(folder, { recursive: true })
  const write = (name: string, lines: readonly object[], comment: object | null) =>
    writeFile(
      join(folder, name),
      (comment ? `#filetype:JSON-streaming ${JSON.stringify(comment)}\n` : '') +
        lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
    )
  const objects = (className: string, amount: number, object: (n: number) => object) =>
    write(
      `${className}.0.jsonl`,
      Array.from({ length: amount }, (_, n) => object(n)),
      {
        type: 'Class',
        class: className,
      },
    )
  await writeFile(join(folder, 'schema.json'), JSON.stringify(SCHEMA))
  await writeFile(
    join(folder, 'Ticket_indexes.json'),
    JSON.stringify([{ unique: true, key: { code: 1 }, name: 'code_1' }]),
  )
  await objects('Post', AMOUNTS.posts, (n) => ({
    ...known('post', n),
    title: n % FAULTY === 7 ? n : `Title ${n} "of" \\ many`,
    text: 'What is said here is repeated. '.repeat(random.between(4, 20)),
    score: random.between(0, 1000),
    at: { __type: 'Date', iso: timeOf(n) },
    author: { __type: 'Pointer', className: '_User', objectId: `user${random.between(0, AMOUNTS.users - 1)}` },
    ACL: n % 3 === 0 ? { [`user${n % AMOUNTS.users}`]: { read: true, write: true } } : { '*': { read: true } },
  }))
  await objects('Album', AMOUNTS.albums, (n) => ({ ...known('album', n), name: `Album ${n}` }))
  await objects('Plain', AMOUNTS.withoutIds, (n) => ({ createdAt: timeOf(n), updatedAt: timeOf(n), n }))
  await objects('_User', AMOUNTS.users, (n) => ({
    ...known('user', n),
    username: `name ${n}`,
    email: `user${n}@example.org`,
    password: 'q'.repeat(random.between(40, 60)),
    bcryptPassword: `$2a$10$${'abcdefghijklmnopqrstu'.slice(0, 21)}e${String(n).padStart(31, '0')}`,
    sessionToken: `token-of-user-${n}`,
    authData: { weixin: { openid: `openid-${n}`, access_token: 'a', expires_in: 1 } },
  }))
  await objects('_Role', AMOUNTS.roles, (n) => ({
    ...known('role', n),
    name: `role${n}`,
    ACL: { '*': { read: true } },
  }))
  await objects('Ticket', AMOUNTS.tickets, (n) => ({ ...known('ticket', n), code: `code ${n}`, number: n + 1 }))
  await objects('_Conversation', AMOUNTS.conversations, (n) => ({
    ...known('conversation', n),
    name: `Conversation ${n}`,
    m: [`client${n}`, `client${n + 1}`],
    c: `client${n}`,
  }))
  const members = (owner: string, owners: number, target: string, targets: number, amount: number) =>
    Array.from({ length: amount }, (_, n) => ({
      owningId: `${owner}${n % owners}`,
      relatedId: `${target}${n % targets}`,
    }))
  await write('Album.likes.relation.jsonl', members('album', AMOUNTS.albums, 'user', AMOUNTS.users, AMOUNTS.likes), {
    type: 'Relation',
    class: 'Album',
    field: 'likes',
    target: '_User',
  })
  await write('_Role.users.relation.jsonl', members('role', AMOUNTS.roles, 'user', AMOUNTS.users, 300), {
    type: 'Relation',
    class: '_Role',
    field: 'users',
    target: '_User',
  })
  const messages = Array.from({ length: AMOUNTS.messages }, (_, n) => {
    const conversation = random.between(0, AMOUNTS.conversations - 1)
    return {
      'msg-id': `message${n}`,
      'conv-id': `conversation${conversation}`,
      from: `client${conversation + (n % 2)}`,
      timestamp: n % FAULTY === 9 ? 'yesterday' : 1_600_000_000_000 + n,
      data: JSON.stringify({ _lctype: -1, _lctext: `What was said ${n}` }),
    }
  })
  await write('messaging-messages.0.jsonl', messages, { type: 'Messaging', of: 'messages' })
}

const SCHEMA = {
  Post: { title: { type: 'String' } },
  Album: { likes: { type: 'Relation', className: '_User' } },
  Ticket: { code: { type: 'String' }, number: { type: 'Number', auto_increment: true } },
}

function known(name: string, n: number) {
  return { objectId: `${name}${n}`, createdAt: timeOf(n), updatedAt: timeOf(n + 5) }
}

function timeOf(n: number): string {
  return new Date(1_600_000_000_000 + n * 1000).toISOString()
}
