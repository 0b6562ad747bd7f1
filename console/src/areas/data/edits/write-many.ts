import { path } from '../../../api/request.ts'
import type { OpenApp } from '../../../api/use-app.ts'

/** The changed fields of one object. */
export interface Change {
  readonly objectId: string
  /** Written only if the object is unchanged since this time, ISO; undefined: unconditionally */
  readonly readAt?: string | undefined
  /** undefined: removes the field from the object */
  readonly fields: { readonly [name: string]: unknown }
}

export interface Outcome {
  /** The update times of written objects, ISO, by id. */
  readonly written: ReadonlyMap<string, string>
  readonly refused: readonly Refusal[]
}

interface Refusal {
  readonly objectId: string
  /** An error code of the API */
  readonly code: number
  readonly error: string
}

interface Answer {
  readonly success?: { readonly updatedAt: string }
  readonly error?: Omit<Refusal, 'objectId'>
}

/** Objects per request. */
const AT_ONCE = 50

/**
 * Changes many objects independently: a rejected one does not prevent other writes.
 * @param onProgress called with the finished share, up to 1
 * @throws Problem when a whole request fails; earlier writes stay
 */
export async function writeMany(
  call: OpenApp['call'],
  className: string,
  changes: readonly Change[],
  onProgress: (share: number) => void = () => {},
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
    onProgress((from + some.length) / changes.length)
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
