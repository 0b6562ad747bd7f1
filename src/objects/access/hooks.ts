import type { Executor } from '../../database/pool.ts'
import { isJsonObject, type JsonObject } from '../../values/json.ts'
import type { Caller } from './caller.ts'
import { CLASS_HOOKS, type ClassHook, type Origin } from './origin.ts'

export type BeforeHook = 'beforeSave' | 'beforeUpdate' | 'beforeDelete'
export type AfterHook = 'afterSave' | 'afterUpdate' | 'afterDelete'

/** The hooks of an app's cloud code, as used by the object store. */
export interface ObjectHooks {
  /** Returns whether the hook exists. If not, callers prepare nothing for it. */
  has(hook: ClassHook, className: string, origin: Origin): boolean
  /**
   * Calls a before hook. No transaction may be open meanwhile, because the hook may read and write any object.
   * @param object as passed to the hook (protocol/cloud-code, Request body)
   * @returns the unchanged response of `beforeSave`; `{}` for the others
   * @throws ApiError 142 when the hook rejects the write or cannot be called, 141 when it takes too long
   */
  invoke(hook: BeforeHook, className: string, object: JsonObject, caller: Caller): Promise<JsonObject>
  /** Queues a durable call of an after hook, which starts when the transaction has committed. */
  notify(hook: AfterHook, className: string, object: JsonObject, caller: Caller, transaction: Executor): Promise<void>
  /**
   * Returns whether an older engine, without a hook key, signed a write as its own (protocol/cloud-code, Signatures of older
   * SDKs).
   */
  isSigned(kind: 'before' | 'after', className: string, signature: string): boolean
}

/** Hooks do not run for devices (protocol/cloud-code, When they run). */
const WITHOUT_HOOKS = new Set(['_Installation'])

/** Returns whether a hook is called for a write of this caller; operations of the server itself have none. */
export function hasHook(
  { hooks }: { readonly hooks: ObjectHooks },
  hook: ClassHook,
  className: string,
  { origin }: Caller,
): boolean {
  if (!origin || origin.ignored.has(hook) || WITHOUT_HOOKS.has(className)) return false
  return hooks.has(hook, className, origin)
}

/** Returns whether a live query or an after hook observes a write, so that its rows must be read. */
export function isObserved(
  store: { readonly hooks: ObjectHooks; readonly watch: { isWatched(className: string): boolean } },
  hook: AfterHook,
  className: string,
  caller: Caller,
): boolean {
  return store.watch.isWatched(className) || hasHook(store, hook, className, caller)
}

/** Keys in the body of a write that control hooks. They are not fields and are dropped when the body is parsed. */
const IGNORING = ['__ignore_hooks', '__before', '__after'] as const

/**
 * Returns the caller with the hooks that the body excludes from this write. Cloud code and the master key may name them; a legacy
 * signature excludes all hooks of its kind (protocol/cloud-code, Loop guards).
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
