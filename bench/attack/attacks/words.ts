import type { Attack } from '../attack.ts'
import type { Attacker } from '../attacker.ts'
import type { Victim } from '../victim.ts'
import { APP_OF_VICTIM } from '../victim.ts'

const CLASS = 'Essay'
const COMMON = '我们的大学生在图书馆学习数据库系统与人工智能技术发展迅速'
const OBJECTS = 40

/** Returns Chinese text of so many characters, with common and rare words. */
function chinese(length: number, seed: number): string {
  const rare = (n: number) => String.fromCodePoint(0x4e00 + ((n * 7919 + seed) % 8000))
  return Array.from({ length }, (_, n) => (n % 3 === 0 ? rare(n) : COMMON[(n * 31 + seed) % COMMON.length])).join('')
}

let ids: string[] = []

async function fill(victim: Victim): Promise<void> {
  await victim.requestAsMaster('POST', `/1.1/classes/${CLASS}`, { text: COMMON })
  const path = `/admin/apps/${APP_OF_VICTIM.appId}/classes/${CLASS}`
  await victim.requestAsAdministrator('PATCH', path, { fields: { text: { searchable: true } } })
}

async function prepare(attacker: Attacker): Promise<void> {
  ids = await attacker.many(OBJECTS, 2, async (n) => {
    const body = { text: chinese(20_000, n) }
    return String((await attacker.request({ path: `/1.1/classes/${CLASS}`, body })).objectId)
  })
}

const searching = (name: string, what: string, path: string, parameters: (n: number) => object): Attack => ({
  name,
  what,
  fill,
  prepare,
  run: (attacker) => attacker.flood(32, (n) => attacker.get(path, { clazz: CLASS, ...parameters(n) })),
})

/** Attacks with texts without spaces, which require dictionary segmentation. */
export const WORD_ATTACKS: readonly Attack[] = [
  searching('similar-essays', 'searches for what resembles twenty long Chinese texts', '/1.1/search/mlt', (n) => ({
    likeObjectIds: Array.from({ length: 20 }, (_, m) => ids[(n + m) % ids.length]).join(','),
    min_doc_freq: '1',
  })),
  searching('similar-texts', 'searches for what resembles a Chinese text of the request', '/1.1/search/mlt', (n) => ({
    like: chinese(1500, n),
    min_doc_freq: '1',
  })),
  searching('marked-essays', 'highlights of long Chinese texts', '/1.1/search/select', (n) => ({
    q: ['大学', '数据库 OR 图*', '学生', '我* OR 技* OR 发*'][n % 4],
    highlights: '*',
    limit: '100',
  })),
  {
    name: 'indexed-essays',
    what: 'objects of long Chinese texts that are searched, made and changed',
    fill,
    prepare,
    run: (attacker) =>
      attacker.flood(4, (n) => {
        const body = { text: chinese(100_000, n) }
        if (n % 2 === 0) return attacker.send({ path: `/1.1/classes/${CLASS}`, body })
        return attacker.send({ method: 'PUT', path: `/1.1/classes/${CLASS}/${ids[n % ids.length]}`, body })
      }),
  },
]
