import { type Decoder, date, json, jsonOrNull, number, rowDecoder, text } from '../database/decode-row.ts'
import type { Executor } from '../database/pool.ts'
import { sql } from '../database/sql.ts'
import type { Action, Move, MoveOptions, MoveProgress, MoveSource, Outcome } from './move.ts'
import { readOutcome } from './stored-report.ts'

/** A move as it is stored. */
export interface StoredMove extends Omit<Move, 'received' | 'hasKey'> {
  readonly appId: string
  readonly node: string
  readonly secret: string | null
  readonly begun: number
}

export async function insertMove(
  database: Executor,
  {
    id,
    appId,
    node,
    source,
    secret,
  }: {
    readonly id: string
    readonly appId: string
    readonly node: string
    readonly source: MoveSource
    readonly secret: string | null
  },
): Promise<void> {
  await database.query(sql`
    INSERT INTO homeport.moves (id, app, node, source, secret)
    VALUES (${id}, ${appId}, ${node}, ${JSON.stringify(source)}::jsonb, ${secret})`)
}

/** @returns the newest first */
export async function listMoves(database: Executor, appId: string): Promise<StoredMove[]> {
  const rows = await database.query(sql`SELECT * FROM homeport.moves WHERE app = ${appId} ORDER BY id DESC`)
  return rows.map(moveOf)
}

export async function findMove(database: Executor, appId: string, id: string): Promise<StoredMove | null> {
  const [row] = await database.query(sql`SELECT * FROM homeport.moves WHERE app = ${appId} AND id = ${id}`)
  return row ? moveOf(row) : null
}

/** Sets the running action. @returns false when another action is running */
export async function setAction(
  database: Executor,
  id: string,
  action: Action,
  options: MoveOptions,
  secret: string | null,
): Promise<boolean> {
  const [row] = await database.query(sql`
    UPDATE homeport.moves
    SET action = ${action}, options = ${JSON.stringify(options)}::jsonb, begun = 0, progress = NULL, changed_at = now(),
      secret = coalesce(${secret}, secret)
    WHERE id = ${id} AND action IS NULL
    RETURNING id`)
  return row !== undefined
}

/** Sets when the running follow ends. @returns false when no follow is running */
export async function setUntil(database: Executor, id: string, until: string): Promise<boolean> {
  const [row] = await database.query(sql`
    UPDATE homeport.moves
    SET options = options || jsonb_build_object('until', ${until}::text), changed_at = now()
    WHERE id = ${id} AND action = 'bring' AND options @> '{"follow": true}'
    RETURNING id`)
  return row !== undefined
}

/** Counts a start of the action, which may be a restart. @returns the number of earlier starts */
export async function noteBegun(database: Executor, id: string): Promise<number> {
  const [row] = await database.query(sql`
    UPDATE homeport.moves SET begun = begun + 1, changed_at = now() WHERE id = ${id} RETURNING begun - 1 AS before`)
  return row ? number('before')(row) : 0
}

export async function setProgress(database: Executor, id: string, progress: MoveProgress): Promise<void> {
  await database.query(sql`
    UPDATE homeport.moves SET progress = ${JSON.stringify(progress)}::jsonb, changed_at = now()
    WHERE id = ${id} AND action IS NOT NULL`)
}

/** Stores the outcome of the running action and ends it. */
export async function setOutcome(database: Executor, id: string, action: Action, outcome: Outcome): Promise<void> {
  await database.query(sql`
    UPDATE homeport.moves
    SET action = NULL, outcomes = outcomes || jsonb_build_object(${action}::text, ${JSON.stringify(outcome)}::jsonb),
      changed_at = now()
    WHERE id = ${id} AND action = ${action}`)
}

export async function deleteMove(database: Executor, id: string): Promise<void> {
  await database.query(sql`DELETE FROM homeport.moves WHERE id = ${id}`)
}

/** Deletes keys of sources unused for `days`, and returns the moves whose files the node still keeps. */
export async function movesInUse(database: Executor, node: string, days: number): Promise<Set<string>> {
  await database.query(sql`
    UPDATE homeport.moves SET secret = NULL
    WHERE secret IS NOT NULL AND action IS NULL AND changed_at < now() - ${`${days} days`}::interval`)
  const rows = await database.query(sql`
    SELECT id FROM homeport.moves
    WHERE node = ${node} AND (action IS NOT NULL OR changed_at >= now() - ${`${days} days`}::interval)`)
  return new Set(rows.map(text('id')))
}

function outcomesOf(column: string): StoredMove['outcomes'] {
  const stored = JSON.parse(column) as StoredMove['outcomes']
  return Object.fromEntries(Object.entries(stored).map(([action, outcome]) => [action, readOutcome(outcome)]))
}

const moveOf: Decoder<StoredMove> = rowDecoder({
  id: text('id'),
  appId: text('app'),
  node: text('node'),
  source: json<MoveSource>('source'),
  secret: text.orNull('secret'),
  action: text.orNull('action', (action) => action as Action),
  options: json<MoveOptions>('options'),
  begun: number('begun'),
  progress: jsonOrNull<MoveProgress>('progress'),
  outcomes: text('outcomes', outcomesOf),
  createdAt: date('created_at'),
  changedAt: date('changed_at'),
})
