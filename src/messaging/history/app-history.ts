import type { Parameters } from '../../objects/query-parameters.ts'
import type { Principal } from '../../scheduling/principal.ts'
import { type HistorySource, readHistory } from '../messages/history.ts'
import type { Messaging } from '../messaging.ts'
import { type HistoryItem, historyItems } from './history-item.ts'
import { historyQueryOf } from './history-parameters.ts'

/**
 * Reads a page of history for the app's back end (protocol/messaging, History query).
 * @param parameters the parameters of the URL
 * @param principal charged for the query
 * @throws ApiError 1
 */
export async function appHistory(
  messaging: Messaging,
  source: HistorySource,
  parameters: Parameters,
  principal?: Principal,
): Promise<HistoryItem[]> {
  const query = historyQueryOf(parameters, source)
  return historyItems(messaging, await readHistory(messaging, query, principal))
}
