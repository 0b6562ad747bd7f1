import { type Accounts, byId, findUser, userClass } from './accounts.ts'

/** Lets those know who watch users that one has logged in. */
export async function notifyLoggedIn(accounts: Accounts, userId: string): Promise<void> {
  const { watch } = accounts.objects
  if (!watch.isWatched('_User')) return
  const user = await findUser(accounts, byId(userId))
  if (user) watch.loggedIn(userClass(accounts), user.row)
}
