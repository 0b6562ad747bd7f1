import { fileUrl } from '../../files/file-url.ts'
import { BUCKET, beginUpload } from '../../files/uploads/begin-upload.ts'
import { type Answer, type Call, ok } from '../call.ts'
import { typedFields } from '../request-fields.ts'
import { route } from '../route.ts'

const TYPES = { keep_file_name: 'flag', metaData: 'json', ACL: 'json' } as const

/** POST /1.1/fileTokens — returns a token and URL to upload a file (protocol/files, Upload). */
export const fileTokens = route({ method: 'POST', path: '/1.1/fileTokens', rate: 'writes', handler: giveToken })

/**
 * Creates an upload and returns its token. The Java SDK accepts only texts and numbers as members of the response, and
 * the Python SDK keeps its own `metaData` if the response has none.
 */
export async function giveToken({ app, caller, parameters, baseUrl, userAgent }: Call): Promise<Answer> {
  const { files } = app
  const upload = await beginUpload(files, typedFields(parameters, TYPES), caller, userAgent)
  return ok({
    objectId: upload.objectId,
    createdAt: upload.createdAt,
    key: upload.key,
    url: fileUrl(files.hosts(), app.id, upload.key, caller, baseUrl),
    name: upload.name,
    mime_type: upload.mimeType,
    bucket: BUCKET,
    provider: upload.provider,
    upload_url: upload.directUrl ?? `${baseUrl}/uploads/${app.id}/${upload.token}`,
    token: upload.token,
  })
}
