import { censorFile } from '../../files/censor.ts'
import { checkObjectId } from '../../values/names.ts'
import { ok } from '../call.ts'
import { masterRoute, type Route } from '../route.ts'
import { objectRoutes } from './classes.ts'

/** File records (spec/1, Files): objects of `_File` under a path of their own. */
export const files: readonly Route[] = [
  ...objectRoutes('/1.1/files', () => '_File'),
  masterRoute('POST', '/1.1/files/:objectId/censor', async (call) =>
    ok({ censorResult: await censorFile(call.app.objects, checkObjectId(call.params.objectId)) }),
  ),
]
