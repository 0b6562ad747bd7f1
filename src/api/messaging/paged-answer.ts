import type { ClientPage, PageRequest } from '../../messaging/paged-list.ts'
import type { Parameters } from '../../objects/query-parameters.ts'
import { numberIn, textIn } from '../request-fields.ts'

/** What page of a list a URL asks for. @throws ApiError 1 */
export function pageRequestOf(query: Parameters): PageRequest {
  return { limit: numberIn(query, 'limit'), next: textIn(query, 'next') }
}

/** A page of clients; `next` only where there are more (protocol/messaging, One-on-one and group conversations). */
export function clientPage({ clientIds, next }: ClientPage): object {
  return { client_ids: clientIds, ...(next !== null && { next }) }
}
