import type { Caller } from '../access/caller.ts'
import { withIgnoredHooks } from '../access/hooks.ts'
import { withCurrentClasses } from '../classes/classes.ts'
import { noteWrite, type ObjectStore } from '../store.ts'
import { insertObject, type NewObject, prepareObject } from './create.ts'
import type { Created } from './present-created.ts'

/**
 * Creates objects of one class, all or none. Before hooks run in the order of the objects, before anything is written.
 * @throws ApiError those of `createObject`, for the first object that fails
 */
export async function createAll(
  store: ObjectStore,
  className: string,
  bodies: readonly unknown[],
  sender: Caller,
): Promise<Created[]> {
  return withCurrentClasses(store, () => create(store, className, bodies, sender))
}

async function create(
  store: ObjectStore,
  className: string,
  bodies: readonly unknown[],
  sender: Caller,
): Promise<Created[]> {
  const prepared: { readonly object: NewObject; readonly caller: Caller }[] = []
  for (const body of bodies) {
    const caller = withIgnoredHooks(store, className, body, sender)
    prepared.push({ object: await prepareObject(store, className, body, caller), caller })
  }
  await store.database.transaction(async (transaction) => {
    for (const { object, caller } of prepared) await insertObject(store, object, caller, transaction)
  }, sender.origin?.principal)
  noteWrite(store, className)
  return prepared.map(({ object }) => object)
}
