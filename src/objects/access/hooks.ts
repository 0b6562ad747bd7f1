import type { Executor } from '../../database/pool.ts'
import { isJsonObject, type JsonObject } from '../../values/json.ts'
import type { Caller } from './caller.ts'
import { CLASS_HOOKS, type ClassHook, type Origin } from './origin.ts'

export type BeforeHook = 'beforeSave' | 'beforeUpdate' | 'beforeDelete'
export type AfterHook = 'afterSave' | 'afterUpdate' | 'afterDelete'

/** The cloud code of an app, as far as the object store asks it. */
export interface ObjectHooks {
  /** Whether there is such a hook: where there is none, nothing need be prepared for it. */
  has(hook: ClassHook, className: string, origin: Origin): boolean
  /**
   * Asks a before hook. No transaction may be open meanwhile: the hook may read and write what it likes.
   * @param object as the hook is to see it (protocol/cloud-code, Request body)
   * @returns the answer of `beforeSave` as it came; `{}` of the others
   * @throws ApiError 142 when the hook refuses or cannot be asked, 141 when it takes too long
   */
  ask(hook: BeforeHook, className: string, object: JsonObject, caller: Caller): Promise<JsonObject>
  /** Has an after hook told in the background, surely, once the transaction is committed. */
  notify(hook: AfterHook, className: string, object: JsonObject, caller: Caller, transaction: Executor): Promise<void>
  /**
   * Whether an engine of the time before the hook key has signed a write as its own (protocol/cloud-code, Signatures of
   * older SDKs).
   */
  isSigned(kind: 'before' | 'after', className: string, signature: string): boolean
}

/** Hooks do not run for devices (protocol/cloud-code, When they run). */
const WITHOUT_HOOKS = new Set(['_Installation'])

/** Whether a hook is to be asked or told about a write of this caller; what the server does by itself has none. */
export function hasHook(
  { hooks }: { readonly hooks: ObjectHooks },
  hook: ClassHook,
  className: string,
  { origin }: Caller,
): boolean {
  if (!origin || origin.ignored.has(hook) || WITHOUT_HOOKS.has(className)) return false
  return hooks.has(hook, className, origin)
}

/** Whether a live query or an after hook observes a write: then its rows have to be known. */
export function isObserved(
  store: { readonly hooks: ObjectHooks; readonly watch: { isWatched(className: string): boolean } },
  hook: AfterHook,
  className: string,
  caller: Caller,
): boolean {
  return store.watch.isWatched(className) || hasHook(store, hook, className, caller)
}

/** What the body of a write may say of hooks. These names are no fields: whoever reads it as an object drops them. */
const IGNORING = ['__ignore_hooks', '__before', '__after'] as const

/**
 * The caller, with the hooks that are not to be called for this write because its body says so. Cloud code and the master
 * key may name them; an old signature names those of its kind (protocol/cloud-code, Loop guards).
 */
export function withIgnoredHooks(
  { hooks }: { readonly hooks: ObjectHooks },
  className: string,
  body: unknown,
  caller: Caller,
): Caller {
  const { origin } = caller
  if (!origin || !isJsonObject(body) || !IGNORING.some((name) => Object.hasOwn(body, name))) return caller
  const ignored = new Set<ClassHook>()
  if ((origin.fromCloudCode || caller.master) && Array.isArray(body.__ignore_hooks)) {
    for (const hook of CLASS_HOOKS) if (body.__ignore_hooks.includes(hook)) ignored.add(hook)
  }
  for (const kind of ['before', 'after'] as const) {
    const signature = body[`__${kind}`]
    if (typeof signature !== 'string' || !hooks.isSigned(kind, className, signature)) continue
    for (const hook of CLASS_HOOKS) if (hook.startsWith(kind)) ignored.add(hook)
  }
  return ignored.size === 0 ? caller : { ...caller, origin: { ...origin, ignored } }
}
