/** A part of an app that is pulled: the objects of a class, or the members of one of its relation fields. */
export interface PulledPart {
  /** The id of the source app. */
  readonly source: string
  readonly className: string
  /** null: the objects themselves */
  readonly field: string | null
}

/** The id of an object, or of a member of an object's relation. */
export interface PulledId {
  /** The object with the relation; null for objects themselves. */
  readonly owningId: string | null
  readonly id: string
}

/** All ids that the source has in a range of a part. */
export interface IdRange {
  /** As in `PulledId`; the range covers members of this object. */
  readonly owningId: string | null
  /** The range starts after this id; null: at the first id. */
  readonly after: string | null
  /** The last id of the range; null: the range is open-ended. */
  readonly upTo: string | null
  readonly ids: readonly string[]
}

/** The number of known ids that the source no longer has, and the number of known ids. */
export interface Differences {
  readonly missing: number
  readonly known: number
}

/** The result of removing objects or members that the source no longer has. */
export interface Removed {
  readonly removed: number
  /** Ids that were kept because they were changed here later than at the source. */
  readonly kept: readonly string[]
}

/** Maximum ids in a range, and maximum ids that are removed at once. */
export const MAX_IDS = 1000
