import type { ClientPage, PageRequest } from '../../messaging/paged-list.ts'
import type { Parameters } from '../../objects/query-parameters.ts'
import { numberIn, textIn } from '../request-fields.ts'

/**
 * Returns the page of a list that a URL requests.
 * @throws ApiError 1
 */
export function pageRequestOf(query: Parameters): PageRequest {
  return { limit: numberIn(query, 'limit'), next: textIn(query, 'next') }
}

/** Returns a page of clients; `next` only if there are more (protocol/messaging, One-on-one and group conversations). */
export function clientPage({ clientIds, next }: ClientPage): object {
  return { client_ids: clientIds, ...(next !== null && { next }) }
}
