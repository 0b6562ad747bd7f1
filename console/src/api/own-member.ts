/**
 * Returns the own member of an object by a name that clients or administrators choose: `object[name]` would also read
 * what every object inherits, such as `toString`.
 */
export function ownMember<Value>(
  object: { readonly [name: string]: Value } | null | undefined,
  name: string,
): Value | undefined {
  return object && Object.hasOwn(object, name) ? object[name] : undefined
}
