import { errors } from '../../../../errors.ts'
import { addTask, findTask, taskRequest } from '../../../../hooks/task-queue.ts'
import { ok } from '../../../call.ts'
import { parseBody } from '../../../parse-body.ts'
import { typedFields } from '../../../request-fields.ts'
import { masterRoute, type Route, route } from '../../../route.ts'

const PATH = '/1.1/engine/cloud-queue/tasks'
const TYPES = {
  params: 'json',
  attempts: 'number',
  backoff: 'number',
  delay: 'number',
  keepResult: 'number',
  priority: 'number',
  timeout: 'number',
} as const

/** Queued functions (protocol/cloud-code, Scheduled and queued functions). */
export const cloudQueueTasks: readonly Route[] = [
  masterRoute({
    method: 'POST',
    path: PATH,
    rate: 'writes',
    handler: async ({ app, parameters }) =>
      ok({ uniqueId: await addTask(app.taskQueue, parseBody(taskRequest, typedFields(parameters, TYPES))) }),
  }),
  route({
    method: 'GET',
    path: `${PATH}/:uniqueId`,
    rate: 'reads',
    handler: async ({ app, params }) => {
      const task = await findTask(app.taskQueue, params.uniqueId!)
      if (!task) throw errors.notFound(`Task with the uniqueId '${params.uniqueId!.slice(0, 60)}' not found.`)
      return ok(task)
    },
  }),
]
