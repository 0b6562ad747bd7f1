import { type MemberKind, memberOfPath, membersOfBody } from '../../leaderboards/members.ts'
import { showMembers } from '../../leaderboards/show-members.ts'
import {
  deleteStatistics,
  namesIn,
  readStatisticOf,
  readStatisticsOf,
  type Statistic,
  showStatistic,
  updateStatistics,
} from '../../leaderboards/statistics.ts'
import { isSet } from '../../objects/query-parameters.ts'
import { type Answer, type Call, ok, resultsText } from '../call.ts'
import { typedFields } from '../request-fields.ts'
import { type Route, route } from '../route.ts'

const KINDS = { users: 'user', objects: 'object', entities: 'entity' } as const

/** Statistics of members (protocol/social, Leaderboards). */
export const statistics: readonly Route[] = Object.entries(KINDS).flatMap(([path, kind]) => [
  route({
    method: 'POST',
    path: `/1.1/leaderboard/${path}/:id/statistics`,
    rate: 'writes',
    handler: async (call) => {
      const { app, body, query, caller } = call
      const overwrite = isSet(query.overwrite)
      const stored = await updateStatistics(app.leaderboards, kind, memberOf(call, kind), body, overwrite, caller)
      return ok({ results: stored.map(showStatistic) })
    },
  }),
  route({
    method: 'GET',
    path: `/1.1/leaderboard/${path}/:id/statistics`,
    rate: 'queries',
    adminReadable: true,
    handler: async (call) => {
      const { app, parameters, caller } = call
      const names = namesIn('statistics', parameters.statistics)
      const member = memberOf(call, kind)
      return show(call, await readStatisticsOf(app.leaderboards, kind, member, names.length > 0 ? names : null, caller))
    },
  }),
  route({
    method: 'DELETE',
    path: `/1.1/leaderboard/${path}/:id/statistics`,
    rate: 'writes',
    handler: async (call) => {
      const { app, parameters, caller } = call
      const names = namesIn('statistics', parameters.statistics)
      await deleteStatistics(app.leaderboards, kind, memberOf(call, kind), names, caller)
      return ok({})
    },
  }),
  route({
    method: 'POST',
    path: `/1.1/leaderboard/${path}/statistics/:name`,
    rate: 'writes',
    handler: async (call) => {
      const { app, params, caller, parameters } = call
      const members = membersOfBody(kind, typedFields(parameters, { ids: 'list' }).ids)
      return show(call, await readStatisticOf(app.leaderboards, kind, members, params.name!, caller))
    },
  }),
])

function memberOf({ params, caller }: Call, kind: MemberKind): string {
  return memberOfPath(kind, params.id!, caller)
}

/** Returns the statistics with their members. Members of one type are read together. */
async function show({ app, parameters, caller }: Call, found: readonly Statistic[]): Promise<Answer> {
  const view = { keys: parameters.selectKeys ?? null, include: parameters.includeKeys ?? null }
  const membersOf = new Map<string, Set<string>>()
  for (const { memberType, member } of found)
    membersOf.set(memberType, (membersOf.get(memberType) ?? new Set()).add(member))
  const shown = await Promise.all(
    [...membersOf].map(
      async ([type, members]) => [type, await showMembers(app.leaderboards, type, [...members], view, caller)] as const,
    ),
  )
  const showOf = new Map(shown)
  return ok(
    resultsText(
      found.map((statistic) => {
        const { memberType, member } = statistic
        return `${JSON.stringify(showStatistic(statistic)).slice(0, -1)},${showOf.get(memberType)!(member)}}`
      }),
    ),
  )
}
