/**
 * Returns the own member of an object by a name chosen by clients or administrators: `object[name]` would also read inherited
 * members such as `toString`.
 */
export function ownMember<Value>(
  object: { readonly [name: string]: Value } | null | undefined,
  name: string,
): Value | undefined {
  return object && Object.hasOwn(object, name) ? object[name] : undefined
}
