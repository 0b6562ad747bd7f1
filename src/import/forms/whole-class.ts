import { isJsonObject, type Json } from '../../values/json.ts'
import type { HostedClass } from './form.ts'

/**
 * Returns whether the content of `<Class>.json` is the full class description of the hosted service, as `leancloud-schema pull`
 * writes it (protocol/moving-in, Schema export). Records and other JSON files may have such names too.
 */
export function isWholeClass(content: Json): content is Json & HostedClass {
  if (!isJsonObject(content) || !isJsonObject(content.schema)) return false
  const columns = Object.values(content.schema)
  return columns.length > 0 && columns.every((column) => isJsonObject(column) && typeof column.type === 'string')
}
