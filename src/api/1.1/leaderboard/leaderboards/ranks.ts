import { type MemberKind, memberOfPath, membersOfBody } from '../../../../leaderboards/members.ts'
import { type RankQuery, readRanks } from '../../../../leaderboards/show-ranks.ts'
import { namesIn } from '../../../../leaderboards/statistics.ts'
import { isSet, type Parameters } from '../../../../objects/query-parameters.ts'
import type { Json } from '../../../../values/json.ts'
import { type Answer, type Call, ok, resultsText } from '../../../call.ts'
import { numberIn, typedFields } from '../../../request-fields.ts'
import { type Route, route } from '../../../route.ts'

const BOARDS = '/1.1/leaderboard/leaderboards'

const DEFAULT_LIMIT = 20
const MAX_LIMIT = 1000

/** Rankings (protocol/social, Leaderboards). The old paths do not name the type of members. */
export const ranks: readonly Route[] = [
  ...pathsOf(`${BOARDS}/:name`, null),
  ...(['user', 'object', 'entity'] as const).flatMap((kind) => [
    ...pathsOf(`${BOARDS}/${kind}/:name`, kind),
    route({
      method: 'POST',
      path: `${BOARDS}/${kind}/:name/group/ranks`,
      rate: 'writes',
      handler: (call) => show(call, kind, null, groupOf(call, kind)),
    }),
    route({
      method: 'POST',
      path: `${BOARDS}/${kind}/:name/group/ranks/:id`,
      rate: 'writes',
      handler: (call) => show(call, kind, memberOfPath(kind, call.params.id!, call.caller), groupOf(call, kind)),
    }),
  ]),
]

function pathsOf(path: string, kind: MemberKind | null): Route[] {
  return [
    route({
      method: 'GET',
      path: `${path}/ranks`,
      rate: 'queries',
      adminReadable: true,
      handler: (call) => show(call, kind, null, null),
    }),
    route({
      method: 'GET',
      path: `${path}/ranks/:id`,
      rate: 'reads',
      adminReadable: true,
      handler: (call) => show(call, kind, memberOfPath(kind ?? 'user', call.params.id!, call.caller), null),
    }),
  ]
}

function groupOf({ parameters }: Call, kind: MemberKind): string[] {
  return membersOfBody(kind, typedFields(parameters, { ids: 'list' }).ids)
}

async function show(
  call: Call,
  kind: MemberKind | null,
  around: string | null,
  group: readonly string[] | null,
): Promise<Answer> {
  const { app, caller, params, parameters } = call
  const query = { ...rankQuery(parameters), around, group }
  const { results, count } = await readRanks(app.leaderboards, params.name!, kind, query, caller)
  return ok(resultsText(results, count === undefined ? '' : `,"count":${count}`))
}

/** Reads the parameters by their names on the new paths and on the old ones. */
function rankQuery(query: Parameters): Omit<RankQuery, 'around' | 'group'> {
  const given = (...names: string[]): Json | null =>
    names.map((name) => query[name]).find((value) => value !== undefined && value !== null && value !== '') ?? null
  const limit = numberIn(query, 'maxResultsCount') ?? numberIn(query, 'limit') ?? DEFAULT_LIMIT
  return {
    start: numberIn(query, 'startPosition') ?? numberIn(query, 'skip') ?? 0,
    limit: limit > MAX_LIMIT ? DEFAULT_LIMIT : limit,
    version: numberIn(query, 'version') ?? null,
    count: isSet(query.count),
    view: { keys: given('selectKeys', 'selectUserKeys'), include: given('includeKeys', 'includeUser') },
    statistics: namesIn('includeStatistics', query.includeStatistics),
  }
}
