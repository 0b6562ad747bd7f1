import { errors } from '../../errors.ts'
import { censorFile } from '../../files/censor.ts'
import { createObject } from '../../objects/writing/create.ts'
import { presentCreated } from '../../objects/writing/present-created.ts'
import { isJsonObject } from '../../values/json.ts'
import { checkObjectId } from '../../values/names.ts'
import { type Answer, type Call, created, JsonText, ok } from '../call.ts'
import { masterRoute, type Route, route } from '../route.ts'
import { objectRoutes, PLAIN_WRITES, type Writes } from './classes.ts'

const writes: Writes = { ...PLAIN_WRITES, create: (call) => create(call, call.body) }

/** File records (protocol/files, External files): objects of `_File`, also under a path of their own. */
export const files: readonly Route[] = [
  ...['/1.1/files', '/1.1/classes/_File', '/1.1/classes/files'].flatMap((path) =>
    objectRoutes(path, () => '_File', writes),
  ),
  masterRoute('POST', '/1.1/files/:objectId/censor', async (call) =>
    ok({ censorResult: await censorFile(call.app.objects, checkObjectId(call.params.objectId)) }),
  ),
  // JavaScript before 4.8 puts the name into the path, slashes and all (protocol/files, External files).
  route('POST', '/1.1/files/*', createNamed),
]

/**
 * The answer shows the record: SDKs take `url` and `name` from it over what they have (protocol/files, External files).
 */
async function create({ app, caller }: Call, body: unknown): Promise<Answer> {
  const made = await createObject(app.objects, '_File', body, caller)
  return created('_File', made.id, new JsonText(await presentCreated(app.objects, made, caller)))
}

/** Other SDKs of that time sent the bytes of a file to this path. @throws ApiError 1 for a body without `url` */
async function createNamed(call: Call): Promise<Answer> {
  const { body } = call
  if (!isJsonObject(body) || typeof body.url !== 'string')
    throw errors.badArgument("A file record needs 'url', an http or https URL; bytes cannot be uploaded here.")
  return create(call, { ...body, name: body.name ?? call.params['*']! })
}
