import { parseAcl } from '../../../objects/access/acl.ts'
import { emptyAsObject, isJsonObject, type Json, type JsonObject } from '../../../values/json.ts'

/**
 * Returns an ACL without its invalid entries. Omitting an entry grants less than the source does, never more. Null in place of
 * the ACL would open the object to all users.
 */
export function lenientAcl(given: Json): { readonly acl: JsonObject; readonly isValid: boolean } {
  try {
    return { acl: parseAcl(given), isValid: true }
  } catch {
    const value = emptyAsObject(given)
    const entries = isJsonObject(value) ? Object.entries(value) : []
    return {
      acl: Object.fromEntries(entries.flatMap(([grantee, entry]) => validEntry(grantee, entry))),
      isValid: false,
    }
  }
}

function validEntry(grantee: string, entry: Json): [string, Json][] {
  const { read, write } = isJsonObject(entry) ? entry : ({} as JsonObject)
  try {
    return Object.entries(parseAcl({ [grantee]: { ...(read === true && { read }), ...(write === true && { write }) } }))
  } catch {
    return []
  }
}
