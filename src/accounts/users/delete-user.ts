import type { Caller } from '../../objects/access/caller.ts'
import type { Where } from '../../objects/where/tree.ts'
import { deleteObject, deleteWithHook } from '../../objects/writing/delete.ts'
import { type Accounts, byId, findUser } from '../accounts.ts'
import { checkOwner } from '../user-rules.ts'
import { forgetLogins } from './forget-logins.ts'

/**
 * Deletes a user and its credentials.
 * @throws ApiError 141 and 142 of hooks, 206 unless the caller is the user or has the master key, and those of
 *   `deleteObject`
 */
export async function deleteUser(accounts: Accounts, id: string, where: Where | null, caller: Caller): Promise<void> {
  checkOwner(id, caller)
  await deleteWithHook(accounts.objects, '_User', id, caller)
  await accounts.database.transaction(async (transaction) => {
    await deleteObject(accounts.objects, '_User', id, where, caller, transaction)
    if (await findUser(accounts, byId(id), transaction)) return
    await forgetLogins(accounts, transaction, id)
    await accounts.follower.deleted(transaction, id)
  }, caller.origin?.principal)
  await accounts.sessions.forget(id)
}
