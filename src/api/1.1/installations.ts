import { deleteObject } from '../../objects/writing/delete.ts'
import { saveInstallation, updateInstallation } from '../../push/installations/installation-save.ts'
import { INSTALLATION } from '../../push/push.ts'
import { type Answer, type Call, created, JsonText } from '../call.ts'
import type { Route } from '../route.ts'
import { isFetching, type ObjectActions, objectRoutes, PLAIN_ACTIONS } from './classes.ts'

/** Actions of installations: each device has exactly one, even if a client does not know its id. */
const actions: ObjectActions = {
  ...PLAIN_ACTIONS,
  create: save,
  update: ({ app, body, caller }, _className, id, options) => updateInstallation(app.push, id, body, options, caller),
  remove: ({ app, caller }, className, id, where) => deleteObject(app.objects, className, id, where, caller),
}

/** Installations, at their own path and as objects of `_Installation` (protocol/push, Endpoints). */
export const installations: readonly Route[] = [
  ...objectRoutes('/1.1/installations', () => INSTALLATION, actions),
  ...objectRoutes(`/1.1/classes/${INSTALLATION}`, () => INSTALLATION, actions),
]

/** Saves an installation. Status 201 for a new one, 200 for an existing one; both with `Location`. */
async function save(call: Call): Promise<Answer> {
  const { app, body, caller } = call
  const { id, isNew, text } = await saveInstallation(app.push, body, isFetching(call), caller)
  return { ...created(INSTALLATION, id, new JsonText(text)), status: isNew ? 201 : 200 }
}
