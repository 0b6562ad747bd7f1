import type { JsonObject } from '../../values/json.ts'
import type { FriendshipSettings } from './friendship-settings.ts'

/** The ACL of the rows of a follow that bring none. @param userId who follows, or has a friend */
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
