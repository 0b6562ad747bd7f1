import { path } from '../../../api/request.ts'
import type { OpenApp } from '../../../api/use-app.ts'

/** Fields of one object that are to change. */
export interface Change {
  readonly objectId: string
  /** Written only if the object is as it was at this time, ISO; undefined: in any case */
  readonly readAt?: string | undefined
  /** undefined: the object is to lack the field */
  readonly fields: { readonly [name: string]: unknown }
}

export interface Outcome {
  /** When each object that was written was changed, ISO, by its id. */
  readonly written: ReadonlyMap<string, string>
  readonly refused: readonly Refusal[]
}

interface Refusal {
  readonly objectId: string
  /** Of the contract */
  readonly code: number
  readonly error: string
}

interface Answer {
  readonly success?: { readonly updatedAt: string }
  readonly error?: Omit<Refusal, 'objectId'>
}

/** Objects that are changed with one request. */
const AT_ONCE = 50

/**
 * Changes many objects, each by itself: what is refused of one keeps none of the others from being written.
 * @param told called with the share that is done, up to 1
 * @throws Problem when a whole request fails; what was written before stays
 */
export async function writeMany(
  call: OpenApp['call'],
  className: string,
  changes: readonly Change[],
  told: (share: number) => void = () => {},
): Promise<Outcome> {
  const written = new Map<string, string>()
  const refused: Refusal[] = []
  for (let from = 0; from < changes.length; from += AT_ONCE) {
    const some = changes.slice(from, from + AT_ONCE)
    const requests = some.map((change) => requestOf(className, change))
    const answers = await call<readonly Answer[]>('POST', '/1.1/batch', { body: { requests } })
    for (const [at, { success, error }] of answers.entries()) {
      const { objectId } = some[at]!
      if (success) written.set(objectId, success.updatedAt)
      else refused.push({ objectId, ...error! })
    }
    told((from + some.length) / changes.length)
  }
  return { written, refused }
}

function requestOf(className: string, { objectId, readAt, fields }: Change): object {
  const where = readAt === undefined ? null : JSON.stringify({ updatedAt: { __type: 'Date', iso: readAt } })
  return {
    method: 'PUT',
    path: path`/1.1/classes/${className}/${objectId}` + (where === null ? '' : `?where=${encodeURIComponent(where)}`),
    body: Object.fromEntries(
      Object.entries(fields).map(([name, value]) => [name, value === undefined ? { __op: 'Delete' } : value]),
    ),
  }
}
