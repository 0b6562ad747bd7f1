/** A part of an app that is pulled: the objects of a class, or the members of one of its relation fields. */
export interface PulledPart {
  /** The id of the app there. */
  readonly source: string
  readonly className: string
  /** null: the objects themselves */
  readonly field: string | null
}

/** An object, or the member of an object's relation. */
export interface PulledId {
  /** The object that has the relation; null for objects themselves. */
  readonly owningId: string | null
  readonly id: string
}

/** All ids of a part that the source has between two of them. */
export interface IdRange {
  /** As in `PulledId`; the range is one among the members of this object. */
  readonly owningId: string | null
  /** The range begins behind this id; null: with the first. */
  readonly after: string | null
  /** The last id of the range; null: it has no end. */
  readonly upTo: string | null
  readonly ids: readonly string[]
}

/** What a comparison has found missing at the source, and out of how many that it has had. */
export interface Differences {
  readonly missing: number
  readonly known: number
}

/** What became of objects or members that the source no longer has. */
export interface Removed {
  readonly removed: number
  /** Ids of those that stay because they were changed here later than there. */
  readonly kept: readonly string[]
}

/** Ids that a range may list, and those that are removed at once. */
export const MOST_IDS = 1000
