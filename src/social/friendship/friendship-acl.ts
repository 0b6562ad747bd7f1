import type { JsonObject } from '../../values/json.ts'
import type { FriendshipSettings } from './friendship-settings.ts'

/** Returns the default ACL for the rows of a follow. @param userId the user who has the follow or friend */
export function friendshipAcl(
  { friendshipAcl: { read, write } }: FriendshipSettings,
  userId: string,
  otherId: string,
): JsonObject {
  const grantees = { both: [userId, otherId], user: [userId], everyone: ['*'] }
  const acl: Record<string, JsonObject> = {}
  for (const grantee of grantees[read]) acl[grantee] = { read: true }
  for (const grantee of grantees[write]) acl[grantee] = { ...acl[grantee], write: true }
  return acl
}
