import { date, json, number, rowDecoder, text } from '../../database/decode-row.ts'
import type { JsonObject } from '../../values/json.ts'
import { countsFrom } from './tally.ts'

/** Decodes a row of `$push_records`: the pushes with one notification id, and their outcome. */
export const decodeRecord = rowDecoder({
  id: text('id'),
  notificationId: text('notification_id'),
  createdAt: date('created_at'),
  updatedAt: date('updated_at'),
  msg: json<JsonObject>('msg'),
  target: json<JsonObject>('target'),
  status: text('status'),
  prod: text('prod'),
  service: text('service'),
  pushAt: date.orNull('push_at'),
  devices: number('devices'),
  invalidTokens: number('invalid_tokens'),
  successes: text('successes', countsFrom),
  errors: text('errors', countsFrom),
})
