import { errors } from '../../../errors.ts'
import { listArchives, MAX_ARCHIVES } from '../../../leaderboards/archives.ts'
import { type Board, findBoard, showBoard } from '../../../leaderboards/board.ts'
import { parseBoard, parseBoardChanges } from '../../../leaderboards/board-body.ts'
import { createBoard, deleteBoard, listBoards, updateBoard } from '../../../leaderboards/boards.ts'
import { incrementVersion } from '../../../leaderboards/versions.ts'
import type { JsonObject } from '../../../values/json.ts'
import { type Call, ok } from '../../call.ts'
import { numberIn, typedFields } from '../../request-fields.ts'
import { type AppFacts, type Route, route } from '../../route.ts'

/** Management of leaderboards with the master key (protocol/social, Leaderboards). */
export const leaderboards: readonly Route[] = [
  managed({
    method: 'POST',
    path: '',
    rate: 'writes',
    handler: async (call) => ok(showBoard(await createBoard(of(call), parseBoard(typedFields(call.parameters))))),
  }),
  managed({
    method: 'GET',
    path: '',
    rate: 'queries',
    adminReadable: true,
    handler: async (call) => ok({ results: (await listBoards(of(call))).map(showBoard) }),
  }),
  // Clients read the version of a leaderboard and when it changes.
  route({
    method: 'GET',
    path: '/1.1/leaderboard/leaderboards/:name',
    rate: 'queries',
    adminReadable: true,
    handler: async (call) => ok(showBoard(await findBoard(of(call), call.params.name!))),
  }),
  managed({
    method: 'PUT',
    path: '/:name',
    rate: 'writes',
    handler: async (call) => {
      const changes = parseBoardChanges(typedFields(call.parameters))
      const board = await updateBoard(of(call), call.params.name!, changes)
      return ok(
        members(board, [
          ...(changes.updateStrategy ? ['updateStrategy'] : []),
          ...(changes.changeInterval ? ['versionChangeInterval', 'expiredAt'] : []),
        ]),
      )
    },
  }),
  managed({
    method: 'PUT',
    path: '/:name/incrementVersion',
    rate: 'writes',
    handler: async (call) => {
      const board = await incrementVersion(of(call), call.params.name!)
      return ok(members(board, ['version', 'activatedAt', 'expiredAt']))
    },
  }),
  managed({
    method: 'GET',
    path: '/:name/archives',
    rate: 'queries',
    adminReadable: true,
    handler: async (call) => {
      const { parameters, caller, baseUrl, params } = call
      const page = { limit: numberIn(parameters, 'limit') ?? MAX_ARCHIVES, skip: numberIn(parameters, 'skip') ?? 0 }
      return ok({ results: await listArchives(of(call), params.name!, page, caller, baseUrl) })
    },
  }),
  managed({
    method: 'DELETE',
    path: '/:name',
    rate: 'writes',
    handler: async (call) => {
      await deleteBoard(of(call), call.params.name!)
      return ok({})
    },
  }),
]

function of({ app }: Call) {
  return app.leaderboards
}

/**
 * Returns a route that requires the master key.
 * @throws ApiError 1 without the master key, the code that clients of leaderboards expect
 */
function managed({ path, handler, ...facts }: AppFacts): Route {
  return route({
    ...facts,
    path: `/1.1/leaderboard/leaderboards${path}`,
    async handler(call) {
      if (!call.caller.master) throw errors.badArgument('The request must be signed by master key.')
      return handler(call)
    },
  })
}

/** Returns the changed members of a leaderboard, with its id and the time of the update. */
function members(board: Board, names: readonly string[]): JsonObject {
  const shown = showBoard(board)
  return Object.fromEntries(['objectId', ...names, 'updatedAt'].map((name) => [name, shown[name]!]))
}
