import { z } from 'zod'
import { endUpload } from '../../files/uploads/end-upload.ts'
import { ok } from '../call.ts'
import { parseBody } from '../parse-body.ts'
import { typedFields } from '../request-fields.ts'
import { route } from '../route.ts'

const outcome = z.looseObject({ token: z.string().max(1000), result: z.boolean() })

/** POST /1.1/fileCallback — reports the outcome of an upload (protocol/files, Upload, step 3). */
export const fileCallback = route({
  method: 'POST',
  path: '/1.1/fileCallback',
  rate: 'writes',
  handler: async ({ app, parameters }) => {
    const { token, result } = parseBody(outcome, typedFields(parameters, { result: 'flag' }))
    await endUpload(app.files, token, result)
    return ok({})
  },
})
