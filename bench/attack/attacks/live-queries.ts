import type { Attack } from '../attack.ts'
import type { Attacker } from '../attacker.ts'

let name = 0

function subscribe(attacker: Attacker, id: string, where: object, className = 'Watched') {
  return attacker.send({ path: '/1.1/LiveQuery/subscribe', body: { id, query: { className, where } } })
}

/** Logs a subscriber in, so that its queries are active. */
async function listen(attacker: Attacker, id: string): Promise<void> {
  const chat = await attacker.chat()
  await chat.request({ cmd: 'login', appId: attacker.target.appId, installationId: id, service: 1 })
}

/** Attacks with subscriptions, and writes that must be matched against them. */
export const LIVE_QUERY_ATTACKS: readonly Attack[] = [
  {
    name: 'subscriptions',
    what: 'subscriptions with ever new conditions, from ever new subscribers',
    run: (attacker) =>
      attacker.flood(64, (n) => {
        const where = n % 2 === 0 ? { n: { $gt: n } } : { $or: [{ a: n }, { text: { $regex: `^x${n}` } }] }
        return subscribe(attacker, `s-${process.pid}-${n % 50}`, where)
      }),
  },
  {
    name: 'subscribed-patterns',
    what: 'subscriptions with regular expressions of great size, and their objects written',
    run: async (attacker) => {
      const id = `p-${process.pid}`
      await listen(attacker, id)
      await attacker.flood(16, (n) => {
        if (n % 4 === 3) {
          return attacker.send({ path: '/1.1/classes/Watched', body: { text: 'abcde'.repeat(2000), n } })
        }
        const pattern = [
          `((a{1,30}){1,30}){1,30}${n}$`,
          `${'(a|b|c|d|e){10}'.repeat(60)}${n}`,
          `${'[\\w-￿]{0,99}'.repeat(9)}${n}`,
        ][n % 4]
        return subscribe(attacker, id, { text: { $regex: pattern } })
      })
    },
  },
  {
    name: 'amplified-writes',
    what: 'a thousand subscriptions that match every write, and then writes',
    prepare: async (attacker) => {
      const id = `w-${process.pid}`
      await listen(attacker, id).catch(() => {})
      await attacker.many(1000, 16, (n) => subscribe(attacker, id, { n: { $gt: -n } }, 'Amplified'))
    },
    run: (attacker) =>
      attacker.flood(64, (n) => attacker.send({ path: '/1.1/classes/Amplified', body: { n, text: 'x'.repeat(2000) } })),
  },
  {
    name: 'many-subscribers',
    what: 'logins of ever new subscribers over a few connections',
    run: async (attacker) => {
      const chats = await attacker.many(10, 10, () => attacker.chat())
      if (chats.length === 0) return
      await attacker.flood(64, async () => {
        const chat = chats[name % chats.length]!
        const installationId = `l-${process.pid}-${name++}`
        await chat.request({ cmd: 'login', appId: attacker.target.appId, installationId, service: 1 }).then(
          () => attacker.count('logged in'),
          (error: Error) => attacker.count(error.message),
        )
        if (!chat.isOpen) chats[chats.indexOf(chat)] = await attacker.chat().catch(() => chat)
      })
    },
  },
]
