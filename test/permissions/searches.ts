import type { ModelObject, Who } from './model.ts'
import type { Random } from './random.ts'
import { type Answer, ask, compare } from './reads.ts'
import { reduced, shown } from './shown.ts'
import { note, TAGS, type World } from './world.ts'

/** The search words; no object contains the last one. */
const WORDS = [...TAGS, 'violet']

/** The searchable fields. */
const SEARCHED = ['tag', 'secret']

/** A search: a word in a field or in any (null), or objects without it. */
interface Sought {
  readonly word: string
  readonly field: string | null
  readonly not: boolean
}

/**
 * Searches as a random caller, in one response or page by page, or requests similar objects, and compares the result with the
 * model.
 * @throws Difference
 */
export async function randomSearch(world: World, random: Random, who: Who): Promise<void> {
  const className = random.pick(world.classNames)
  if (random.chance(0.7)) {
    const sought = { word: random.pick(WORDS), field: random.pick([null, null, ...SEARCHED]), not: random.chance(0.3) }
    await search(world, who, random.chance(0.2) ? null : className, sought, random.pick([1000, 2]))
  } else if (random.chance(0.5)) await searchLikeText(world, who, className, random.pick(WORDS))
  else await searchLikeObject(world, random, who, className)
}

/** @param className null for all classes, which searches any field */
async function search(world: World, who: Who, className: string | null, sought: Sought, limit: number): Promise<void> {
  const field = className === null ? null : sought.field
  const term = field === null ? sought.word : `${field}:${sought.word}`
  const query = {
    q: sought.not ? `NOT ${term}` : term,
    ...(className !== null && { clazz: className }),
    limit: `${limit}`,
  }
  const context = { read: 'search', query, who }
  const wanted = wantedOf(
    world,
    className,
    who,
    (object) => hasWord(world, object, sought.word, who, field === null ? SEARCHED : [field]) !== sought.not,
  )
  const isRefused = wanted === null || (field !== null && !world.model.mayAskBy(className!, field, who))
  let answer = await select(world, who, query)
  if (isRefused) {
    note(world, 'search refused')
    return compare({ status: 403 }, answer.status, undefined, context)
  }
  note(world, wanted.length > 0 ? 'search shown' : 'search empty')
  if (answer.status !== 200)
    return compare({ status: 200 }, answer.status, undefined, { ...context, answer: answer.body })
  const { hits } = answer.body
  const results: Result[] = [...answer.body.results]
  while (answer.body.sid) {
    answer = await select(world, who, { ...query, sid: answer.body.sid })
    if (answer.status !== 200)
      return compare({ status: 200 }, answer.status, undefined, { ...context, answer: answer.body })
    results.push(...answer.body.results)
  }
  const body = { hits, results: inOrder(world, results, who) }
  compare({ status: 200, body: { hits: wanted.length, results: wanted } }, answer.status, body, context)
}

async function searchLikeText(world: World, who: Who, className: string, word: string): Promise<void> {
  const query = { clazz: className, like: `${word} ${word}`, min_doc_freq: '1', limit: '1000' }
  const wanted = wantedOf(world, className, who, (object) => hasWord(world, object, word, who, SEARCHED))
  await searchLike(world, who, query, wanted)
}

async function searchLikeObject(world: World, random: Random, who: Who, className: string): Promise<void> {
  const { model } = world
  const objects = [...model.classOf(className).objects.values()]
  if (objects.length === 0) return
  const like = random.pick(objects)
  const query = { clazz: className, likeObjectIds: like.id, min_term_freq: '1', min_doc_freq: '1', limit: '1000' }
  const words = model.mayRead(like, who) ? TAGS.filter((word) => hasWord(world, like, word, who, SEARCHED)) : []
  const wanted = wantedOf(
    world,
    className,
    who,
    (object) => object.id !== like.id && words.some((word) => hasWord(world, object, word, who, SEARCHED)),
  )
  await searchLike(world, who, query, wanted)
}

async function searchLike(
  world: World,
  who: Who,
  query: Record<string, string>,
  wanted: Result[] | null,
): Promise<void> {
  const answer = await ask(world, who, 'GET', `/1.1/search/mlt?${new URLSearchParams(query)}`)
  const context = { read: 'mlt', query, who }
  note(world, wanted === null ? 'alike refused' : wanted.length > 0 ? 'alike shown' : 'alike empty')
  if (wanted === null) return compare({ status: 403 }, answer.status, undefined, context)
  const body = answer.status === 200 ? inOrder(world, answer.body.results, who) : answer.body
  compare({ status: 200, body: wanted }, answer.status, body, context)
}

type Result = Record<string, unknown> & { readonly objectId?: string; readonly className?: string }

function select(world: World, who: Who, query: Record<string, string>): Promise<Answer> {
  return ask(world, who, 'GET', `/1.1/search/select?${new URLSearchParams(query)}`)
}

/** Returns the expected objects by id; null when the named class is closed. */
function wantedOf(
  world: World,
  className: string | null,
  who: Who,
  meets: (object: ModelObject) => boolean,
): Result[] | null {
  const { model, classNames } = world
  if (className !== null && !model.isOpen(className, 'find', who)) return null
  const open = className === null ? classNames.filter((name) => model.isOpen(name, 'find', who)) : [className]
  return open
    .flatMap((name) => [...model.classOf(name).objects.values()])
    .filter((object) => model.mayRead(object, who) && meets(object))
    .map((object) => ({ ...shown(model, object, who, SEARCHED), className: object.className }))
    .sort(byId)
}

/** Returns whether a field visible to the caller contains the word. */
function hasWord(world: World, object: ModelObject, word: string, who: Who, fields: readonly string[]): boolean {
  return fields.some((field) => world.model.mayAskBy(object.className, field, who) && object.fields[field] === word)
}

function inOrder(world: World, results: readonly Result[], who: Who): Result[] {
  return results.map((one) => reduced(world.model, one, one.className!, who) as Result).sort(byId)
}

function byId(a: Result, b: Result): number {
  return a.objectId! < b.objectId! ? -1 : 1
}
